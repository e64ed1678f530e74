"""Four leaves of two hosts: packets lost on one leaf's way up are blamed on that leaf's egress by the recording rules and
by `rdmadiag locate`, and on no NIC."""

from rdmalab import fault
from rdmalab.locate import NOBODY, Locating, bad_leaves
from rdmalab.mesh import connected, mesh, prometheus_of
from rdmalab.topology import LeafSpine
from rdmalab.wait import pause

TOPOLOGY = LeafSpine(leaves=4, per_leaf=2)
TIMEOUT = 900


def run(lab):
    with mesh(lab) as daemons:
        prometheus = prometheus_of(lab, daemons)
        locating = Locating(lab)
        lab.eventually("the mesh is connected", lambda: connected(daemons), 240, poll=1)
        lab.eventually(
            "the rules know every pair of leaves",
            lambda: prometheus.value("count(leafpair:rdma_loss:ratio2m)") == 12,
            180,
            poll=1,
        )
        lab.eventually("the start is over", lambda: bad_leaves(prometheus) == (set(), set()), 180, poll=1)
        lab.equal("a healthy fabric: locate has no verdict", locating.parts(), NOBODY)
        with fault.netem("up1", "loss 5%"):
            locating.both(
                "5 % loss on a leaf's way up",
                rules=lambda: bad_leaves(prometheus),
                want=({"leaf1"}, set()),
                verdict=lambda parts: parts == {("leaf_up", "leaf1", "")},
            )
            pause(20)
            lab.equal("it stays so", bad_leaves(prometheus), ({"leaf1"}, set()))
            lab.equal("no NIC is blamed", prometheus.query("nic:rdma_suspect"), [])
        lab.eventually(
            "after the repair nobody is", lambda: bad_leaves(prometheus) == (set(), set()), 240, poll=1
        )
