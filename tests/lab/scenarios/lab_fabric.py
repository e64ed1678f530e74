"""The lab itself: four soft-RoCE hosts, each with its own device, address and GIDs, and nothing open on them."""

from rdmalab import rdma
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=4)


def run(lab):
    lab.equal("the devices are those of the fabric", rdma.devices(), [h.device for h in lab.hosts])
    for host in lab.hosts:
        link = rdma.link(host)
        lab.equal(f"{host.device} is on its interface", link["netdev"], host.netdev)
        lab.equal(
            f"{host.device} is active",
            (host.state(), link["physical_state"]),
            ("4: ACTIVE", "LINK_UP"),
        )
        found = rdma.gids(host)
        address = "0000:0000:0000:0000:0000:ffff:0a4d:%04x" % host.index
        lab.check(
            f"{host.device} has the GID of {host.address}", (1, address, "RoCE v2") in found, found
        )
        counters = rdma.hw_counters(host)
        lab.check(
            f"{host.device} starts at zero", counters and not any(counters.values()), counters
        )
        lab.equal(f"nothing has {host.device} open", rdma.resources(host)["ctx"], 0)
