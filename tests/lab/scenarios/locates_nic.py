"""Two leaves of four hosts: the recording rules in a real Prometheus blame nobody on a healthy fabric, and the right NIC
when one loses packets."""

from rdmalab import fault
from rdmalab.mesh import connected, mesh, nic, prometheus_of
from rdmalab.topology import LeafSpine
from rdmalab.wait import wait_until

TOPOLOGY = LeafSpine(leaves=2, per_leaf=4)
TIMEOUT = 900
HEALTHY_SECONDS = 75
VERDICT_SECONDS = 75  # promised
ALLOWANCE = 30  # emulation


def run(lab):
    with mesh(lab) as daemons:
        prometheus = prometheus_of(lab, daemons)
        lab.eventually("the mesh is connected", lambda: connected(daemons), 240, poll=1)
        _settle(lab, prometheus)
        wait_until(lambda: _suspects(prometheus), HEALTHY_SECONDS)
        lab.equal("a healthy fabric: nobody is suspect", _suspects(prometheus), set())
        victim = lab.hosts[1]
        with fault.impaired(victim, "loss 5%", fault.BOTH):
            lab.eventually(
                "5 % loss at one NIC: it is suspect",
                lambda: _suspects(prometheus) == {nic(victim)},
                VERDICT_SECONDS + ALLOWANCE,
                poll=1,
            )
            wait_until(lambda: False, 30)
            lab.equal("and nobody else is", _suspects(prometheus), {nic(victim)})
        lab.eventually(
            "after the repair nobody is", lambda: _suspects(prometheus) == set(), 120, poll=1
        )


def _settle(lab, prometheus):
    """Losses of the start, while hosts came one by one, have left the window."""
    lab.eventually("the rules know every NIC", lambda: _known(prometheus) == len(lab.hosts), 120)
    lab.eventually("the start is over", lambda: not _suspects(prometheus), 120, poll=1)


def _known(prometheus):
    return prometheus.value("count(nic:rdma_leaf_bad_peers:ratio)")


def _suspects(prometheus) -> set[str]:
    nics = {labels["nic"] for labels, _value in prometheus.query("nic:rdma_suspect")}
    return nics | {labels["leaf"] for labels, _value in prometheus.query("leaf:rdma_suspect")}
