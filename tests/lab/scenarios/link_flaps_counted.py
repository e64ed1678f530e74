"""Flaps of 300 ms, and one of 1 s between two scrapes, are counted exactly by both ends of the cable, once each way."""

import time

from rdmalab import fault, shell
from rdmalab.daemon import Daemon
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2)
TIMEOUT = 240

FLAPS = 5
CHANGES = "rdma_port_state_changes_total"
CHANGED_AT = "rdma_port_state_change_timestamp_seconds"


def _flap(host, seconds):
    with fault.link_down(host):
        time.sleep(seconds)
    # A flap ends when the kernel has told of it, which it does at most once a second.
    host.await_active()


def _count_flaps(lab, daemon, host, devices, seconds, count):
    """Nobody looks while the link flaps; afterwards every end knows how often it did."""
    before = daemon.scrape()
    for _ in range(count):
        _flap(host, seconds)
    for device in devices:
        start = before.value(CHANGES, device=device) or 0
        want = start + 2 * count
        lab.eventually(
            f"{device}: {count} flaps of {seconds} s are {2 * count} changes",
            lambda device=device, want=want: (daemon.value(CHANGES, device=device) or 0) >= want,
            20,
        )
        lab.equal(f"{device}: and no more", daemon.value(CHANGES, device=device), want)


def run(lab):
    host, bystander = lab.hosts
    far = "rxe_far"
    shell.run("rdma", "link", "add", far, "type", "rxe", "netdev", host.switch_port)
    with Daemon(host, devices=".*") as daemon:
        first = daemon.scrape()
        for device in (host.device, far, bystander.device):
            lab.equal(f"{device}: nothing has changed", first.value(CHANGES, device=device), 0)
            lab.equal(f"{device}: never", first.samples(CHANGED_AT, device=device), [])
        began = time.time()
        _count_flaps(lab, daemon, host, (host.device, far), 0.3, FLAPS)
        _count_flaps(lab, daemon, host, (host.device, far), 1, 1)
        last = daemon.scrape()
        lab.check(
            "the last change is dated",
            (last.value(CHANGED_AT, device=host.device) or 0) >= began,
            last.value(CHANGED_AT, device=host.device),
        )
        lab.equal("the port is up", last.value("rdma_port_up", device=host.device), 1)
        lab.equal("not the bystander", last.value(CHANGES, device=bystander.device), 0)
        lab.check(
            "the log tells of it",
            "port changed its state between two reads" in daemon.process.log(),
        )
