"""The lab itself: two leaves under a spine; a leaf's bad uplink hurts traffic between leaves only."""

from rdmalab import fault, perftest, rdma
from rdmalab.topology import LeafSpine

TOPOLOGY = LeafSpine(leaves=2, per_leaf=4)


def _gaps(client, server):
    before = rdma.statistic(server)["out_of_seq_request"]
    perftest.traffic(client, server, "ib_send_bw", 1024, 200)
    return rdma.statistic(server)["out_of_seq_request"] - before


def run(lab):
    near, neighbour, far = lab.hosts[0], lab.hosts[1], lab.hosts[4]
    lab.equal("leaves as built", [h.leaf for h in lab.hosts], ["leaf1"] * 4 + ["leaf2"] * 4)
    lab.equal("a healthy fabric loses nothing", _gaps(near, far), 0)
    with fault.netem("up1", "loss 10%"):
        lab.equal("inside the leaf all is well", _gaps(near, neighbour), 0)
        lab.check("out of the leaf packets are lost", _gaps(near, far) > 0)
    with fault.netem("down1", "loss 10%"):
        lab.check("into the leaf packets are lost", _gaps(far, near) > 0)
