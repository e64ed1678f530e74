"""A link goes down and up: the port's state and rate follow, and the interface's changes are counted."""

from rdmalab import fault
from rdmalab.daemon import Daemon
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2)
QUICK = True


def run(lab):
    host, peer = lab.hosts
    port = {"device": host.device, "port": "1"}
    with Daemon(host) as daemon, Daemon(peer) as other:
        before = daemon.scrape()
        lab.equal("up at first", before.value("rdma_port_up", **port), 1)
        with fault.link_down(host):
            lab.eventually("down is seen", lambda: daemon.value("rdma_port_up", **port) == 0, 15)
            down = daemon.scrape()
            lab.equal("state DOWN", down.value("rdma_port_state", **port), 1)
            lab.equal("no rate while down", down.samples("rdma_port_rate_bytes_per_second"), [])
            lab.equal("the interface too", down.value("rdma_nic_up", netdev=host.netdev), 0)
            lab.equal("not the peer's port", other.value("rdma_port_up", device=peer.device), 1)
        lab.eventually("up is seen", lambda: daemon.value("rdma_port_up", **port) == 1, 20)
        up = daemon.scrape()
        lab.equal("state ACTIVE", up.value("rdma_port_state", **port), 4)
        lab.equal(
            "the rate is back",
            up.samples("rdma_port_rate_bytes_per_second"),
            before.samples("rdma_port_rate_bytes_per_second"),
        )
        changes = [
            m.value("rdma_nic_carrier_changes_total", netdev=host.netdev) for m in (before, up)
        ]
        lab.equal("the carrier changed twice", changes[1] - changes[0], 2)
