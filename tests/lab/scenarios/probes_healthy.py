"""Four agents probe each other over a healthy fabric: every pair, both ways, nothing lost."""

from rdmalab import rdma
from rdmalab.mesh import lost, mesh, nic, outcomes
from rdmalab.topology import Flat
from rdmalab.wait import pause

TOPOLOGY = Flat(rxe=4)
TIMEOUT = 420
SECONDS = 60


def run(lab):
    before = [rdma.resources(host) for host in lab.hosts]
    with mesh(lab) as daemons:
        for daemon in daemons:
            lab.eventually(
                f"{daemon.host.name} knows its three peers",
                lambda: daemon.value("rdma_probe_peers", scope="leaf") == 3,
                60,
            )
            lab.eventually(
                f"{daemon.host.name} gets answers", lambda: outcomes(daemon).get("ok", 0) > 5, 60
            )
        start = [outcomes(d) for d in daemons]
        pause(SECONDS)
        for daemon, first in zip(daemons, start):
            now = outcomes(daemon)
            metrics = daemon.scrape()
            name = daemon.host.name
            lab.note(name, now)
            lab.check(f"{name}: probes went on", now.get("ok", 0) - first.get("ok", 0) > SECONDS)
            lab.equal(f"{name}: none lost", lost(metrics), 0)
            peers = {
                labels["peer"]
                for labels, _value in metrics.samples("rdma_probe_peer_rtt_seconds")
                if labels["scope"] == "leaf"
            }
            others = {nic(h) for h in lab.hosts if h is not daemon.host}
            lab.equal(f"{name}: a round-trip time of each peer", peers, others)
            lab.check(
                f"{name}: the histogram is filled",
                metrics.total("rdma_probe_rtt_seconds_count", scope="leaf") > SECONDS,
            )
            lab.equal(f"{name}: no finding", _problems(metrics), [])
            lab.equal(f"{name}: its connections are up", _up(metrics), {peer: 1 for peer in others})
    after = [rdma.resources(host) for host in lab.hosts]
    lab.equal("nothing is left behind", after, before)


def _up(metrics):
    return {labels["peer"]: up for labels, up in metrics.samples("rdma_rc_probe_up")}


def _problems(metrics):
    """Findings, apart from what is merely said."""
    found = metrics.samples("rdmadiag_finding")
    return [labels for labels, _value in found if labels["severity"] != "info"]
