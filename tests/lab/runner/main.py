"""The command line of tests/lab/run."""

import argparse
import os
import pathlib
import subprocess
import sys

from . import accel, catalog, execute, paths, report, serve
from .catalog import Scenario
from .guest import booted

BATCH = 12


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tests/lab/run",
        description="Runs scenarios against real RDMA devices, in software, in a virtual machine.",
        epilog="RDMADIAG_PRESET picks the build under test; RDMADIAG_LAB_ACCEL=tcg|kvm forces how qemu runs.",
    )
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO")
    parser.add_argument("--all", action="store_true", help="run every scenario but the benchmarks")
    parser.add_argument("--quick", action="store_true", help="run the quick ones")
    parser.add_argument(
        "--list", action="store_true", help="name the scenarios and what each shows"
    )
    parser.add_argument(
        "--names", action="store_true", help="with --list: names and time-outs only"
    )
    parser.add_argument(
        "--shell",
        action="store_true",
        help="boot with SCENARIO's fabric and give a shell, without running it",
    )
    parser.add_argument(
        "--keep", action="store_true", help="run SCENARIO, then give a shell in the same guest"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="guests at the same time")
    parser.add_argument("--package", default="scenarios", help=argparse.SUPPRESS)
    parser.add_argument(
        "--json",
        type=pathlib.Path,
        metavar="FILE",
        help="results for machines (default build/lab/results.json)",
    )
    parser.add_argument("--junit", type=pathlib.Path, metavar="FILE")
    parser.add_argument(
        "--serve",
        action="store_true",
        help="boot four hosts with a daemon each until Ctrl-C (scripts/run)",
    )
    parser.add_argument(
        "--lossy",
        type=int,
        choices=range(1, serve.HOSTS + 1),
        metavar="N",
        help="with --serve: host N loses a fifth of what it is sent",
    )
    return parser.parse_args()


def _list(scenarios: list[Scenario], names_only: bool) -> int:
    width = max((len(s.name) for s in scenarios), default=0)
    for s in scenarios:
        print(
            f"{s.name} {s.timeout}"
            if names_only
            else f"{s.name:{width}}  {s.summary} [{s.topology}]"
        )
    return 0


def _interactive(scenario: Scenario, how: str, run: bool) -> int:
    plan = execute.plan_for([scenario], shell="after" if run else "instead")
    with booted(scenario.kernel, how, plan, console="stdio") as guest:
        print("leave the shell with exit or Ctrl-D", file=sys.stderr)
        while (event := guest.next_event(None)) is not None:
            if event["event"] == "check":
                print(
                    f"{'ok  ' if event['ok'] else 'FAIL'} {event['name']}  {event['detail']}\r",
                    flush=True,
                )
            elif event["event"] == "end" and event["error"]:
                print(event["error"].replace("\n", "\r\n"), flush=True)
        guest.wait(10)
    return 0


def main() -> int:
    args = _arguments()
    if args.serve:
        return serve.main(args.lossy)
    scenarios = catalog.choose(args.package, args.scenarios)
    if args.list:
        return _list(scenarios, args.names)
    if not args.scenarios and not args.all and not args.quick:
        raise SystemExit("name scenarios, or --quick, or --all (see --list and --help)")
    if args.quick:
        scenarios = [s for s in scenarios if s.quick]
    elif args.all:
        scenarios = [s for s in scenarios if not s.benchmark]
    for series in sorted({s.kernel for s in scenarios}):
        subprocess.run([paths.LAB / "guest" / "build_kernel", series], check=True)
    how = accel.choose(scenarios[0].kernel)
    if args.shell or args.keep:
        return _interactive(scenarios[0], how, run=args.keep)
    print(
        f"{len(scenarios)} scenarios, {how.split(',')[0]}, binaries in {os.path.relpath(paths.binaries())}",
        flush=True,
    )
    results = execute.run_all(catalog.batches(scenarios, BATCH), how, args.jobs)
    report.write_json(args.json or paths.STATE / "results.json", results)
    if args.junit:
        report.write_junit(args.junit, results)
    return report.summary(results)
