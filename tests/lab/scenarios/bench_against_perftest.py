"""`rdmadiag bench` beside perftest: same boot, same pair, in turn, the same method and number of messages; medians
of five runs each."""

import statistics

from rdmalab import perftest
from rdmalab.bench import bench, serving
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2)
TIMEOUT = 900
ALONE = True
ROUNDS = 5
# Operation, transport, perftest's tool and its options.
LATENCY = [
    ("send", "rc", "ib_send_lat", []),
    ("read", "rc", "ib_read_lat", []),
    ("write", "rc", "ib_write_lat", []),
    ("send", "ud", "ib_send_lat", ["-c", "UD"]),
]
BANDWIDTH = [("send", "rc", "ib_send_bw"), ("write", "rc", "ib_write_bw"), ("read", "rc", "ib_read_bw")]
LATENCY_SIZES = (2, 1024)
BANDWIDTH_SIZES = (65536, 1048576)
LATENCY_COUNT = 1000
BANDWIDTH_BYTES = 64 << 20


def run(lab):
    client, peer = lab.hosts
    with serving(peer) as server:
        for operation, transport, tool, options in LATENCY:
            for size in LATENCY_SIZES:
                _latency(lab, client, peer, server, (operation, transport, size), tool, options)
        for operation, transport, tool in BANDWIDTH:
            for size in BANDWIDTH_SIZES:
                _bandwidth(lab, client, peer, server, (operation, transport, size), tool)


def _ours(client, server, way, metric, count, *more):
    operation, transport, size = way
    answer = bench(
        client, server, "--json", "--op", operation, "--transport", transport, "--sizes", size,
        "--metric", metric, "--iterations", count, *more, timeout=120,
    )
    client.lab.require(f"{way} is measured", answer.status == 0, answer)
    return answer.json()["rows"][0][metric]


def _latency(lab, client, peer, server, way, tool, options):
    theirs, ours = [], []
    # Writes are seen in memory: nobody can sleep there.
    events = [] if way[0] == "write" else ["--events"]
    for _ in range(ROUNDS):
        theirs.append(perftest.traffic(client, peer, tool, way[2], LATENCY_COUNT, *options).typical_us)
        ours.append(_ours(client, server, way, "latency", LATENCY_COUNT, *events)["p50_seconds"] * 1e6)
    ratio = statistics.median(ours) / statistics.median(theirs)
    lab.note(f"latency {way}", f"ratio {ratio:.3f}, ours {ours}, perftest's {theirs}")
    lab.between(f"latency of {way} is perftest's", round(ratio, 3), 0.9, 1.1)


def _bandwidth(lab, client, peer, server, way, tool):
    theirs, ours = [], []
    count = max(BANDWIDTH_BYTES // way[2], 200)
    # Of one-sided operations the peer's program sees nothing: one poller, who leaves the other CPU to the driver.
    events = ["--events"] if way[0] == "send" else []
    for _ in range(ROUNDS):
        numbers = perftest.traffic(client, peer, tool, way[2], count, *(["-e"] if events else [])).numbers
        theirs.append(numbers[3] * (1 << 20))  # MiB/s, average
        figures = _ours(client, server, way, "bandwidth", count, *events)
        ours.append(figures["avg_bytes_per_second"])
    ratio = statistics.median(ours) / statistics.median(theirs)
    lab.note(f"bandwidth {way}", f"ratio {ratio:.3f}, ours {ours}, perftest's {theirs}")
    lab.check(f"bandwidth of {way} is at least perftest's", ratio >= 0.97, f"{ratio:.3f}")
