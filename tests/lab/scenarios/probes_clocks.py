"""Two agents whose clocks are an hour apart, the wall clock and the one since the boot: it does not matter."""

import contextlib

from rdmalab.mesh import lost, mesh, nic, outcomes, wait_settled
from rdmalab.cli import rdmadiag
from rdmalab.shell import Process
from rdmalab.topology import Flat
from rdmalab.wait import pause

TOPOLOGY = Flat(rxe=2)
TIMEOUT = 300
HOUR = 3600


@contextlib.contextmanager
def _an_hour_ahead():
    """A command that runs another with such clocks."""
    ahead = Process("clocks", "unshare", "--time", "--monotonic", HOUR, "--boottime", HOUR, "--fork", "--kill-child", "sleep", "inf")
    try:
        namespace = f"/proc/{ahead.pid}/ns/time_for_children"
        wall = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"
        yield [
            "nsenter", f"--time={namespace}",
            "env", f"LD_PRELOAD={wall}", f"FAKETIME=+{HOUR}", "FAKETIME_DONT_FAKE_MONOTONIC=1",
        ]
    finally:
        ahead.kill()


def run(lab):
    first, second = lab.hosts
    with _an_hour_ahead() as within, mesh(lab, within={second: within}) as daemons:
        read = [d.scrape().total("rdmadiag_source_last_success_timestamp_seconds", source="sysfs_port") for d in daemons]
        # libfaketime and the namespace of clocks add up for some readings.
        lab.between("their clocks are an hour apart at least", read[1] - read[0], HOUR - 60, 2 * HOUR + 60)
        wait_settled(lab, daemons)
        before = [outcomes(d) for d in daemons]
        pause(40)  # a whole window of path records
        for daemon, other, start in zip(daemons, daemons[::-1], before):
            name = nic(daemon.host)
            lab.equal(f"{name}: nothing is lost", lost(daemon.scrape()), 0)
            gained = {k: v - start.get(k, 0) for k, v in outcomes(daemon).items() if v != start.get(k)}
            lab.equal(f"{name}: every probe is answered", set(gained), {"ok"})
            up = daemon.value("rdma_rc_probe_up", peer=nic(other.host))
            lab.equal(f"{name}: its connection is up", up, 1)
        answer = rdmadiag(lab, "locate", "--agent", f"127.0.0.1:{first.http_port}")
        lab.check("no verdict of the records of both", "no verdict" in answer.out, answer)
