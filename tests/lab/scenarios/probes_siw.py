"""iWARP beside soft-RoCE: connections between the iWARP hosts by rdma_cm, datagrams between the others, and
neither disturbs the other; an iWARP device goes and comes back under both agents."""

from rdmalab import fault, rdma
from rdmalab.mesh import lost, mesh, nic, outcomes
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2, siw=2)
TIMEOUT = 240


def run(lab):
    before = [rdma.resources(host) for host in lab.hosts]
    with mesh(lab) as daemons:
        rxe, siw = daemons[:2], daemons[2:]
        _connected(lab, "", siw, siw[::-1], rxe, rxe[::-1])
        start = [d.scrape().total("rdma_probe_arrived_total", transport="rc") for d in daemons]
        for daemon, first in zip(daemons, start):
            name = nic(daemon.host)
            lab.eventually(
                f"{name}: messages over the connection arrive",
                lambda: daemon.scrape().total("rdma_probe_arrived_total", transport="rc") >= first + 10,
                60,
                poll=0.5,
            )
            metrics = daemon.scrape()
            lab.equal(f"{name}: nothing is lost", lost(metrics), 0)
            lab.equal(f"{name}: no rebuild", metrics.total("rdma_rc_probe_rebuilds_total"), 0)
        for daemon in siw:
            lab.equal(f"{nic(daemon.host)}: no datagram", sum(outcomes(daemon).values()), 0)
        for daemon in rxe:
            lab.check(f"{nic(daemon.host)}: datagrams are answered", outcomes(daemon).get("ok", 0) > 20)
        with fault.device_removed(siw[1].host):
            lab.eventually("an iWARP device removed is seen", lambda: 0 in _connections(siw[0]).values(), 60)
        _connected(lab, "the device is back: ", siw, siw[::-1])
    lab.equal("nothing is left behind", [rdma.resources(host) for host in lab.hosts], before)


def _connected(lab, when, *pairs):
    for daemon, other in pairs:
        peer = nic(other.host)
        lab.eventually(
            f"{when}{nic(daemon.host)} is connected to {peer}, and to nobody else",
            lambda: _connections(daemon) == {peer: 1},
            120,
            poll=0.5,
        )


def _connections(daemon):
    return {labels["peer"]: up for labels, up in daemon.scrape().samples("rdma_rc_probe_up")}
