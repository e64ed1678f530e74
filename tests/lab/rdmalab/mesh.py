"""Daemons that probe each other: one for each host of the fabric, found by a file."""

import contextlib
import json

from .daemon import Daemon
from .prometheus import Prometheus
from .shell import SCRATCH
from .wait import Not, pause, wait_until

PEERS = SCRATCH / "peers.json"
KEY = SCRATCH / "probe.key"


def write_peers(hosts) -> None:
    groups = [
        {
            "targets": [f"127.0.0.1:{host.http_port}"],
            "labels": {"leaf": host.leaf, "instance": host.name},
        }
        for host in hosts
    ]
    PEERS.write_text(json.dumps(groups))


def write_key(path=KEY, secret: str = "00112233445566778899aabbccddeeff") -> None:
    path.touch(mode=0o600)
    path.write_text(f"1 {secret}\n")


def config(host, **probes) -> dict:
    return {
        "labels": {"leaf": host.leaf},
        "peers": {"file_sd": [{"files": [str(PEERS)], "refresh": "5s"}]},
        # Emulation makes the CPU look ten times busier than it is.
        "probes": {"key_file": str(KEY), "cpu_share": 1} | probes,
    }


@contextlib.contextmanager
def mesh(lab, hosts=None, within=None, **probes):
    """A daemon on each host, stopped at the end. Yields them in the order of the hosts. `within`: by
    host, Daemon's."""
    hosts = hosts or lab.hosts
    write_peers(hosts)
    write_key()
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(Daemon(host, config(host, **probes), within=(within or {}).get(host, ())))
            for host in hosts
        ]


def nic(host) -> str:
    return f"{host.name}/{host.device}"


def outcomes(daemon) -> dict[str, float]:
    """Probes of a daemon's NIC by outcome."""
    metrics = daemon.scrape()
    return {
        labels["outcome"]: value
        for labels, value in metrics.samples("rdma_probe_outcomes_total")
    }


def lost(metrics, **labels) -> float:
    return metrics.total("rdma_probe_lost_total", **labels)


def lost_by_direction(daemons) -> dict[str, dict[str, float]]:
    """By the host's name and the direction."""
    found = {}
    for daemon in daemons:
        counts: dict[str, float] = {}
        for labels, value in daemon.scrape().samples("rdma_probe_lost_total"):
            counts[labels["dir"]] = counts.get(labels["dir"], 0) + value
        found[daemon.host.name] = counts
    return found


# What agents say of a machine that is too slow for them. Under emulation that is no fault.
OWN_STALLS = {"self_stall", "peer_stall", "local_tx"}
MOST_STALLED = 0.1


def settled(daemons, seconds: float = 2) -> "bool | Not":
    """Whether within that time every daemon got answers of all it probes, its connections are up, and
    nothing else came of any probe, apart from a few that the machine delayed by itself."""
    before = [outcomes(d) for d in daemons]
    pause(seconds)
    for daemon, first in zip(daemons, before):
        now = outcomes(daemon)
        gained = {name: now[name] - first.get(name, 0) for name in now if now[name] != first.get(name)}
        stalled = sum(gained.get(name, 0) for name in OWN_STALLS)
        if set(gained) - OWN_STALLS != {"ok"} or stalled > MOST_STALLED * gained["ok"]:
            return Not(f"{daemon.host.name} got {gained}")
        up = {labels["peer"]: value for labels, value in daemon.scrape().samples("rdma_rc_probe_up")}
        if not up or any(value != 1 for value in up.values()):
            return Not(f"{daemon.host.name}: connections {up}")
    return True


def connected(daemons) -> bool:
    """Whether every daemon has had answers, and its connections are up. Asks less than settled(): a machine
    that is too slow for many hosts delays probes now and then."""
    for daemon in daemons:
        metrics = daemon.scrape()
        up = metrics.samples("rdma_rc_probe_up")
        answers = metrics.value("rdma_probe_outcomes_total", outcome="ok") or 0
        if answers < 50 or not up or any(value != 1 for _labels, value in up):
            return False
    return True


def wait_settled(lab, daemons, timeout: float = 120) -> None:
    has = wait_until(lambda: settled(daemons), timeout)
    lab.require("the mesh has settled", has, "" if has else has)


def add_up(daemons, name: str, **labels: str) -> float:
    return sum(daemon.scrape().total(name, **labels) for daemon in daemons)


def prometheus_of(lab, daemons) -> Prometheus:
    """Scrapes them all and evaluates the localisation rules of config/alerts."""
    rules = lab.repo / "config/alerts/localise.yml"
    return Prometheus([f"127.0.0.1:{d.host.http_port}" for d in daemons], "5s", [rules])
