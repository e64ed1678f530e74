"""Two leaves of four hosts: the recording rules in a real Prometheus and `rdmadiag locate` blame nobody on a healthy
fabric, and the right NIC when one loses packets."""

from rdmalab import fault
from rdmalab.locate import NOBODY, Locating, nics, suspects
from rdmalab.mesh import connected, mesh, nic, prometheus_of
from rdmalab.topology import LeafSpine
from rdmalab.wait import pause

TOPOLOGY = LeafSpine(leaves=2, per_leaf=4)
TIMEOUT = 900
HEALTHY_SECONDS = 75


def run(lab):
    with mesh(lab) as daemons:
        prometheus = prometheus_of(lab, daemons)
        locating = Locating(lab)
        lab.eventually("the mesh is connected", lambda: connected(daemons), 240, poll=1)
        _settle(lab, prometheus)
        pause(HEALTHY_SECONDS)
        lab.equal("a healthy fabric: nobody is suspect", suspects(prometheus), set())
        lab.equal("a healthy fabric: locate has no verdict", locating.parts(), NOBODY)
        victim = lab.hosts[1]
        with fault.impaired(victim, "loss 5%", fault.BOTH):
            locating.both(
                "5 % loss at one NIC",
                rules=lambda: suspects(prometheus),
                want={nic(victim)},
                verdict=lambda parts: nics(parts) == {nic(victim)} and len(parts) == 1,
            )
            pause(30)
            lab.equal("and nobody else is", suspects(prometheus), {nic(victim)})
        lab.eventually(
            "after the repair nobody is", lambda: suspects(prometheus) == set(), 120, poll=1
        )


def _settle(lab, prometheus):
    """Losses of the start, while hosts came one by one, have left the window."""
    lab.eventually("the rules know every NIC", lambda: _known(prometheus) == len(lab.hosts), 120)
    lab.eventually("the start is over", lambda: not suspects(prometheus), 120, poll=1)


def _known(prometheus):
    return prometheus.value("count(nic:rdma_leaf_bad_peers:ratio)")
