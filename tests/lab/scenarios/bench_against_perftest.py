"""`rdmadiag bench` beside perftest: same boot, same pair, in turn, the same method and number of messages; medians
of five runs each."""

import contextlib
import os
import statistics

from rdmalab import perftest
from rdmalab.bench import bench, serving
from rdmalab.shell import on_cpu
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2)
TIMEOUT = 1800
ALONE = True
BENCHMARK = True
ROUNDS = 5
# Operation, transport, perftest's tool and its options.
LATENCY = [
    ("send", "rc", "ib_send_lat", []),
    ("read", "rc", "ib_read_lat", []),
    ("write", "rc", "ib_write_lat", []),
    ("send", "ud", "ib_send_lat", ["-c", "UD"]),
]
BANDWIDTH = [("send", "rc", "ib_send_bw"), ("write", "rc", "ib_write_bw"), ("read", "rc", "ib_read_bw")]
# Size and messages.
LATENCY_SIZES = ((2, 3000), (1024, 3000), (65536, 200), (1048576, 60))
UD_MTU = 1024
BANDWIDTH_SIZES = (65536, 1048576)
BANDWIDTH_BYTES = 64 << 20


# Else the scheduler decides in which runs one end takes its CPU from the driver's own soft interrupts.
CLIENT_CPU, PEER_CPU = 0, 1
# From this size on these have a thread of their own; a poller that shares its CPU with it halves what it measures.
YIELDING_SIZE = 65536


def run(lab):
    client, peer = lab.hosts
    for operation, transport, tool, options in LATENCY:
        for size, count in LATENCY_SIZES:
            if transport != "ud" or size <= UD_MTU:
                _latency(lab, client, peer, (operation, transport, size), count, [tool, *options])
    for operation, transport, tool in BANDWIDTH:
        for size in BANDWIDTH_SIZES:
            _bandwidth(lab, client, peer, (operation, transport, size), tool)


@contextlib.contextmanager
def _prepared(peer, size):
    """Our end that is asked. Whatever is started within, both tools alike, is as polite as the size wants it."""
    os.setpriority(os.PRIO_PROCESS, 0, 19 if size >= YIELDING_SIZE else 0)
    with contextlib.ExitStack() as stack:
        with on_cpu(PEER_CPU):
            server = stack.enter_context(serving(peer))
        yield server


def _ours(client, server, way, metric, count):
    operation, transport, size = way
    with on_cpu(CLIENT_CPU):
        answer = bench(
            client, server, "--json", "--op", operation, "--transport", transport, "--sizes", size,
            "--metric", metric, "--iterations", count, timeout=120,
        )
    client.lab.require(f"{way} is measured", answer.status == 0, answer)
    return answer.json()["rows"][0][metric]


def _theirs(client, peer, way, count, tool):
    cpus = (CLIENT_CPU, PEER_CPU)
    return perftest.measure(client, peer, tool[0], way[2], count, *tool[1:], cpus=cpus)


def _latency(lab, client, peer, way, count, tool):
    theirs, ours = [], []
    with _prepared(peer, way[2]) as server:
        for _ in range(ROUNDS):
            theirs.append(_theirs(client, peer, way, count, tool).typical_us)
            ours.append(_ours(client, server, way, "latency", count)["p50_seconds"] * 1e6)
    ratio = statistics.median(ours) / statistics.median(theirs)
    lab.note(f"latency {way}", f"ratio {ratio:.3f}, ours {ours}, perftest's {theirs}")
    lab.between(f"latency of {way} is perftest's", round(ratio, 3), 0.9, 1.1)


def _bandwidth(lab, client, peer, way, tool):
    theirs, ours = [], []
    count = max(BANDWIDTH_BYTES // way[2], 200)
    with _prepared(peer, way[2]) as server:
        for _ in range(ROUNDS):
            mebibytes = _theirs(client, peer, way, count, [tool]).numbers[3]  # a second, on average
            theirs.append(mebibytes * (1 << 20))
            ours.append(_ours(client, server, way, "bandwidth", count)["avg_bytes_per_second"])
    ratio = statistics.median(ours) / statistics.median(theirs)
    lab.note(f"bandwidth {way}", f"ratio {ratio:.3f}, ours {ours}, perftest's {theirs}")
    lab.check(f"bandwidth of {way} is at least perftest's", ratio >= 0.97, f"{ratio:.3f}")
