"""Four leaves of two hosts: packets lost on one leaf's way up are blamed on that leaf's egress, and on no NIC."""

from rdmalab import fault
from rdmalab.mesh import connected, mesh, prometheus_of
from rdmalab.topology import LeafSpine
from rdmalab.wait import wait_until

TOPOLOGY = LeafSpine(leaves=4, per_leaf=2)
TIMEOUT = 900
VERDICT_SECONDS = 75  # promised
ALLOWANCE = 30  # emulation


def run(lab):
    with mesh(lab) as daemons:
        prometheus = prometheus_of(lab, daemons)
        lab.eventually("the mesh is connected", lambda: connected(daemons), 240, poll=1)
        lab.eventually(
            "the rules know every pair of leaves",
            lambda: prometheus.value("count(leafpair:rdma_loss:ratio2m)") == 12,
            180,
            poll=1,
        )
        lab.eventually("the start is over", lambda: _bad(prometheus) == (set(), set()), 180, poll=1)
        with fault.netem("up1", "loss 10%"):
            lab.eventually(
                "the leaf's egress is bad, and no other",
                lambda: _bad(prometheus) == ({"leaf1"}, set()),
                VERDICT_SECONDS + ALLOWANCE,
                poll=1,
            )
            wait_until(lambda: False, 20)
            lab.equal("it stays so", _bad(prometheus), ({"leaf1"}, set()))
            lab.equal("no NIC is blamed", prometheus.query("nic:rdma_suspect"), [])
        lab.eventually(
            "after the repair nobody is", lambda: _bad(prometheus) == (set(), set()), 240, poll=1
        )


def _bad(prometheus) -> tuple[set[str], set[str]]:
    """Leaves with bad egress, with bad ingress."""
    return tuple(
        {labels["leaf"] for labels, _v in prometheus.query(f"leaf:rdma_{way}_bad:ratio > 0.5")}
        for way in ("egress", "ingress")
    )
