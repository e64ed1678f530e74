"""`rdmadiag ping` beside perftest on the same pair, in turn: by datagrams and over a connection; then against
`ping --server` on a host without the agent, also on iWARP, and when the peer is wrong or dies."""

import signal
import statistics

from rdmalab import perftest, rdma
from rdmalab.cli import rdmadiag, rdmadiag_until
from rdmalab.daemon import Daemon
from rdmalab.mesh import KEY, nic, write_key
from rdmalab.shell import Process
from rdmalab.topology import Flat
from rdmalab.wait import wait_until

TOPOLOGY = Flat(rxe=2, siw=2)
TIMEOUT = 700
BENCHMARK = True
ROUNDS = 5
PINGS = 100
PACE_US = 10000
SIZE = 64
LOW, HIGH = 0.6, 2.0  # of perftest's round trip


def run(lab):
    write_key()
    prober, peer, iwarp_prober, iwarp_peer = lab.hosts
    before = [rdma.resources(host) for host in lab.hosts]
    # Its own loopback probes would be in the way of what is measured.
    probes = {"key_file": str(KEY), "cpu_share": 1, "loopback": {"interval": "1h"}}
    _served(lab, prober, peer, ["--rc"], [])
    _served(lab, iwarp_prober, iwarp_peer, ["--rc"])
    _peer_dies(lab, prober, peer, before[0])
    with Daemon(peer, {"probes": probes}):
        _wrong_peers(lab, prober, peer)
        _accuracy(lab, prober, peer)
    lab.eventually(
        "nothing is left behind", lambda: [rdma.resources(h) for h in lab.hosts] == before, 20
    )


def _arguments(host, peer, *more):
    # Only its own device is looked at: that of others costs time under emulation.
    own = ["--device.include", host.device]
    return ["--json", *own, "ping", f"127.0.0.1:{peer.http_port}", *more]


def _ping(lab, host, peer, *more):
    """Again while the machine is too slow to read the device, or to open it, in time."""
    key = [] if "--rc" in more else ["--key-file", KEY]
    answer = rdmadiag_until(lab, lambda a: a.status != 3, *_arguments(host, peer, *key, *more))
    lab.require(f"{nic(peer)} can be asked", answer.out, answer)
    return answer


def _wrong_peers(lab, host, peer):
    nobody = rdmadiag(lab, "ping", "127.0.0.1:1", "--rc")
    lab.equal("nobody there: could not tell", nobody.status, 3)
    lab.check("and says so", "127.0.0.1:1" in nobody.err and "refused" in nobody.err, nobody.err)
    other = rdmadiag_until(
        lab,
        lambda a: "no RDMA NIC rxe9" in a.err,
        *("ping", f"127.0.0.1:{peer.http_port}/rxe9", "--rc"),
    )
    lab.check("no such NIC", other.status == 3 and "no RDMA NIC rxe9" in other.err, other)
    write = rdmadiag_until(
        lab, lambda a: "one-sided" in a.err, *_arguments(host, peer, "--rc", "--op", "write")
    )
    lab.check("one-sided probes are refused unless configured", write.status == 3, write)


def _accuracy(lab, host, peer):
    """At one pace: a CPU that slept for 10 ms answers later than one that is asked again at once."""
    pause = PACE_US // 2  # each end's, of a round trip
    for transport, more, wait in (
        # The agent sleeps until a datagram comes, as perftest does that waits for events.
        ("UD", [], ["-e"]),
        # What comes over a connection the peer's NIC acknowledges: no program there is woken up, nor is one that polls.
        ("RC", ["--rc"], []),
    ):
        ours, theirs, at_once = [], [], []
        for _ in range(ROUNDS):
            paced, hurried = (
                perftest.measure(
                    host, peer, "ib_send_lat", SIZE, PINGS, "-c", transport, *wait, *gap
                ).typical_us
                for gap in (["--latency_gap", pause], [])
            )
            theirs.append(2 * (paced - pause))
            at_once.append(2 * hurried)
            answer = _ping(lab, host, peer, "-c", PINGS, "-i", f"{PACE_US}us", *more)
            figures = answer.json()
            spread = figures["round_trip" if more else "network_rtt"]
            lab.require(f"{transport} ping measures", spread, answer)
            lab.equal(f"{transport} ping loses nothing", figures["lost"], 0)
            ours.append(1e6 * spread["p50_seconds"])
        for what, times in (("ping", ours), ("ib_send_lat", theirs), ("in a hurry", at_once)):
            lab.note(f"{transport} {what}, us", [round(v) for v in times])
        ratio = statistics.median(ours) / statistics.median(at_once)
        lab.note(f"{transport} ratio to ib_send_lat in a hurry", f"{ratio:.2f}")
        ratio = statistics.median(ours) / statistics.median(theirs)
        lab.note(f"{transport} ratio to ib_send_lat", f"{ratio:.2f}")
        lab.between(f"{transport} ping is as long as ib_send_lat's round trip", ratio, LOW, HIGH)


def _server(lab, peer):
    command = [lab.binaries / "rdmadiag", "--device.include", peer.device, "ping", "--server"]
    listen = f"127.0.0.1:{peer.http_port}"
    for _ in range(5):  # a machine too slow to read its device in time says that there is none
        server = Process(
            f"server-{peer.name}", *command, "--listen", listen, "--key-file", KEY
        )
        wait_until(lambda: "Answering" in server.log() or not server.running(), 30)
        if server.running():
            break
    lab.require("ping --server answers", server.running(), server.log())
    lab.check("and says how to ask it", f"rdmadiag ping {listen}" in server.log(), server.log())
    return server


def _served(lab, host, peer, *kinds):
    server = _server(lab, peer)
    for kind in kinds:
        what = f"{nic(peer)} without an agent, {'RC' if kind else 'UD'}"
        answer = _ping(lab, host, peer, "-c", 20, "-i", "50ms", *kind)
        lab.equal(f"{what}: answers", answer.status, 0)
        lab.equal(f"{what}: all of them", answer.json()["sent"] - answer.json()["lost"], 20)
    server.signal(signal.SIGINT)
    lab.equal("ping --server ends well on Ctrl-C", server.wait(10), 0)


def _peer_dies(lab, host, peer, idle):
    for name, more in (("UD", ["--key-file", KEY]), ("RC", ["--rc"])):
        server = _server(lab, peer)
        # Text, to see from its log how far it is.
        command = _arguments(host, peer, "-c", 60, "-i", "100ms", *more)[1:]
        for _ in range(5):
            ping = Process(f"ping-{name}", lab.binaries / "rdmadiag", *command)
            wait_until(lambda: "seq=5" in ping.log() or not ping.running(), 30)
            if ping.running():
                break
        server.kill()
        status = ping.wait(60)
        log = ping.log()
        lab.note(f"{name}: the peer died", log[-600:])
        lab.equal(f"{name}: the peer died: a warning", status, 1)
        said = "lost" if name == "UD" else "not connected: "
        lab.check(f"{name}: and it is said", said in log, log[-1500:])
        lab.equal(f"{name}: nothing is left on its device", rdma.resources(host), idle)

