"""The scenarios there are: one file each, described by what it says at its top."""

import dataclasses
import importlib
import os

from . import paths

DEFAULT_TIMEOUT = 120
DEFAULT_KERNEL = os.environ.get("RDMADIAG_LAB_KERNEL", "6.1")


@dataclasses.dataclass(frozen=True)
class Scenario:
    package: str  # the folder it is in
    name: str
    summary: str
    topology: str
    timeout: int  # seconds, under emulation
    kernel: str  # series
    alone: bool  # wants a guest of its own
    quick: bool  # the foundation, within a minute or two each: part of every run of the tests
    benchmark: bool  # its figures judge machine and program: run by name only


def load(package: str, name: str) -> Scenario:
    module = importlib.import_module(f"{package}.{name}")
    if not module.__doc__ or not hasattr(module, "TOPOLOGY") or not hasattr(module, "run"):
        raise SystemExit(f"{package}/{name}.py: needs a docstring, TOPOLOGY and run(lab)")
    return Scenario(
        package=package,
        name=name,
        summary=module.__doc__.strip().splitlines()[0],
        topology=str(module.TOPOLOGY),
        timeout=getattr(module, "TIMEOUT", DEFAULT_TIMEOUT),
        kernel=getattr(module, "KERNEL", DEFAULT_KERNEL),
        alone=getattr(module, "ALONE", False),
        quick=getattr(module, "QUICK", False),
        benchmark=getattr(module, "BENCHMARK", False),
    )


def choose(package: str, wanted: list[str]) -> list[Scenario]:
    """The scenarios of these names; all of them for an empty list. Unknown names end the program."""
    known = sorted(p.stem for p in (paths.LAB / package).glob("*.py") if not p.stem.startswith("_"))
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        raise SystemExit(f"no such scenario: {', '.join(unknown)} (see --list)")
    return [load(package, name) for name in (wanted or known)]


def batches(scenarios: list[Scenario], size: int) -> list[list[Scenario]]:
    """Groups that share one boot: same kernel, at most `size`, neighbours of the same topology."""
    result: list[list[Scenario]] = []
    for scenario in sorted(scenarios, key=lambda s: (s.alone, s.kernel, s.topology)):
        last = result[-1] if result else None
        fits = last and len(last) < size and last[0].kernel == scenario.kernel
        if fits and not scenario.alone and not last[0].alone:
            last.append(scenario)
        else:
            result.append([scenario])
    return result
