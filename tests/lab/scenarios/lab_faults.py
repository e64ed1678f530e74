"""The lab itself: every fault does what it says, on its host only, and ends with its block."""

from rdmalab import fault, perftest, rdma
from rdmalab.topology import Flat
from rdmalab.wait import wait_until

TOPOLOGY = Flat(rxe=3)
TIMEOUT = 240


def _typical_ms(client, server):
    return perftest.measure(client, server, "ib_send_lat", 64, 20, "-c", "UD", "-e").typical_us / 1000


def run(lab):
    first, second, third = lab.hosts
    with fault.impaired(second, "delay 200ms", fault.OUT):
        lab.between(
            "a delay one way shows, halved, in ib_send_lat", _typical_ms(first, second), 99, 160
        )
        lab.between("not between others", _typical_ms(first, third), 0, 60)
    lab.between("no delay afterwards", _typical_ms(first, second), 0, 60)

    with fault.impaired(second, "duplicate 50%", fault.IN):
        before = rdma.statistic(first)["sent_pkts"], rdma.statistic(second)["rcvd_pkts"]
        perftest.traffic(first, second, "ib_send_bw", 1024, 200)
        sent = rdma.statistic(first)["sent_pkts"] - before[0]
        received = rdma.statistic(second)["rcvd_pkts"] - before[1]
        lab.between("half is seen twice", received / sent, 1.3, 1.7)

    with fault.impaired(second, "corrupt 30%", fault.IN):
        before = rdma.statistic(first)["sent_pkts"], rdma.statistic(second)["rcvd_pkts"]
        perftest.traffic(first, second, "ib_send_bw", 1024, 50)
        sent = rdma.statistic(first)["sent_pkts"] - before[0]
        received = rdma.statistic(second)["rcvd_pkts"] - before[1]
        lab.between("damaged packets are dropped before they count", received / sent, 0.5, 0.9)

    with fault.link_down(second):
        lab.eventually("the port of a dead link goes down", lambda: second.state() == "1: DOWN", 10)
        lab.equal("the others stay", (first.state(), third.state()), ("4: ACTIVE", "4: ACTIVE"))
    lab.eventually("and comes back", lambda: second.state() == "4: ACTIVE", 20)

    address = "0000:0000:0000:0000:0000:ffff:0a4d:0002"
    with fault.address_removed(second):
        lab.eventually(
            "the GID goes with the address", lambda: address not in str(rdma.gids(second)), 10
        )
    lab.eventually("and comes back with it", lambda: address in str(rdma.gids(second)), 10)

    with fault.device_removed(second):
        lab.equal("the device is gone", rdma.devices(), [first.device, third.device])
    wait_until(lambda: second.state() == "4: ACTIVE", 20)
    perftest.traffic(first, second, "ib_send_bw", 1024, 50)
    lab.equal("a new device works and counts from zero", rdma.statistic(second)["rdma_recvs"], 50)
