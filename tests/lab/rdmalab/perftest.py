"""perftest between two hosts: real traffic of a known amount, and a yardstick for latency.

The two ends agree over TCP through `lo`, so faults on the fabric do not touch that part.
"""

import contextlib
import dataclasses
import itertools
import math

from .shell import CommandError, Process, on_cpu, run
from .wait import wait_until

_ports = itertools.count(18500)
# By rdma_cm the peers meet on the fabric itself; soft-RoCE needs the index of its IPv4 GID instead.
_HOW = {"rxe": ["-x", "1"], "siw": ["-R"]}


@dataclasses.dataclass
class Figures:
    """`numbers` are those of perftest's table, in its order."""

    numbers: list[float]

    @property
    def typical_us(self) -> float:
        return self.numbers[4]


def traffic(
    client,
    server,
    tool: str = "ib_send_bw",
    size: int = 1024,
    count: int = 200,
    *options: object,
    timeout: float = 90,
) -> None:
    """Sends `count` messages of `size` bytes from client to server, whatever perftest makes of the time it took."""
    _attempts(client, server, tool, size, count, options, timeout, None, lambda numbers: True)


def measure(
    client,
    server,
    tool: str,
    size: int,
    count: int,
    *options: object,
    timeout: float = 90,
    cpus: tuple[int, int] | None = None,
) -> Figures:
    """What perftest measures; client and server each on its own of `cpus` when given."""

    def says_something(numbers) -> bool:
        # It measures the CPU's clock at its start; when that fails every time is "inf", every rate 0.
        return all(map(math.isfinite, numbers)) and numbers[3] > 0

    return Figures(
        _attempts(client, server, tool, size, count, options, timeout, cpus, says_something)
    )


def _attempts(client, server, tool, size, count, options, timeout, cpus, accept) -> list[float]:
    """On a busy machine perftest can fail on its own: what it said is shown, and it gets two more attempts."""
    failures = []
    for _ in range(3):
        try:
            numbers = _attempt(client, server, tool, size, count, options, timeout, cpus)
        except CommandError as error:
            failures.append(str(error))
            print(f"  {failures[-1]}")
            continue
        if accept(numbers):
            return numbers
        failures.append(f"{tool}: no result: {numbers}")
    raise CommandError("\n".join(failures))


def endless(client, server, size: int = 4096) -> tuple[Process, Process]:
    """Messages from client to server until one is killed: the serving and the asking program."""
    port = next(_ports)
    common = ["-p", port, "-s", size, "-F", "--run_infinitely", *_HOW[client.kind]]
    serving = _serve(f"endless-{server.name}", server, "ib_send_bw", port, common)
    name = f"endless-{client.name}"
    return serving, Process(name, "ib_send_bw", "-d", client.device, *common, server.address)


def _attempt(client, server, tool, size, count, options, timeout, cpus) -> list[float]:
    port = next(_ports)
    common = ["-p", port, "-s", size, "-n", count, "-F", *_HOW[client.kind], *options]
    with on_cpu(cpus[1]) if cpus else contextlib.nullcontext():
        serving = _serve(f"{tool}-{server.name}", server, tool, port, common)
    try:
        with on_cpu(cpus[0]) if cpus else contextlib.nullcontext():
            output = run(tool, "-d", client.device, *common, server.address, timeout=timeout)
        serving.wait(20)
    except CommandError as error:
        serving.kill()
        raise CommandError(f"{error}\nits server said:\n{serving.log()}") from None
    rows = [
        line.split() for line in output.splitlines() if line.split()[:2] == [str(size), str(count)]
    ]
    if not rows:
        raise CommandError(f"{tool} printed no result\n{output}")
    return [float(n) for n in rows[-1]]


def _serve(name, server, tool, port, common) -> Process:
    serving = Process(name, tool, "-d", server.device, *common)
    if not wait_until(lambda: _listens(port) or not serving.running(), 20):
        raise CommandError(f"{tool} did not listen\n{serving.log()}")
    return serving


def _listens(port: int) -> bool:
    return bool(run("ss", "-Hltn", f"sport = :{port}").strip())
