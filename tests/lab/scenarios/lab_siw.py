"""The lab itself: iWARP (siw) beside soft-RoCE carries traffic by rdma_cm and has no counters."""

from rdmalab import perftest, rdma, shell
from rdmalab.topology import Flat
from rdmalab.wait import wait_until

TOPOLOGY = Flat(rxe=2, siw=2)


def _rping(client, server):
    serving = shell.Process("rping", "rping", "-s", "-a", server.address, "-C", 3, "-v")
    wait_until(lambda: rdma.resources(server)["cm_id"], 20)
    output = shell.run("rping", "-c", "-a", server.address, "-I", client.address, "-C", 3, "-v")
    serving.wait(20)
    return output


def run(lab):
    first, second, third, fourth = lab.hosts
    lab.equal("iWARP ports are active", (third.state(), fourth.state()), ("4: ACTIVE", "4: ACTIVE"))
    lab.check("rping goes round", _rping(third, fourth).count("ping data") == 3)
    lab.note(
        "ib_send_lat, microseconds",
        perftest.measure(third, fourth, "ib_send_lat", 64, 100, "-e").typical_us,
    )
    lab.check(
        "no counter folder",
        not third.sysfs("ports/1/hw_counters").exists()
        and not third.sysfs("ports/1/counters").exists(),
    )
    try:
        lab.check("no netlink statistics", False, rdma.statistic(third))
    except shell.CommandError as error:
        lab.check("no netlink statistics", "Invalid argument" in str(error), error)
    perftest.traffic(first, second)
    lab.check("soft-RoCE beside it works", rdma.statistic(second)["rdma_recvs"] > 0)
