"""RC probes and one fault after the other: each is seen for what it is, and the connection comes back."""

from rdmalab import fault, rdma
from rdmalab.rc_pair import rc_pair
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2, siw=2)
TIMEOUT = 600


def _dead_path(lab, pair, target):
    with fault.impaired(target, "loss 100%"):
        lab.eventually("a dead path is seen", lambda: not pair.now()["up"], 60)
        lab.note("a dead path: problems", pair.problems())
        lab.note("a dead path: seen as", pair.now())
    pair.require_up("up after the dead path")
    lab.check("it counts as completion error", pair.now()["rebuilds"]["completion_error"] >= 1)


def _port_down(lab, pair, source):
    before = pair.now()["down_seconds"]
    with fault.link_down(source):
        lab.eventually(
            "our own port down is not the peer's failure",
            lambda: "this host" in pair.now()["problem"],
            60,
        )
    pair.require_up("up with the port")
    after = pair.now()
    lab.check("and that is the reason", after["rebuilds"]["port_up"] >= 1, after["rebuilds"])
    lab.note("down time counted for the port, seconds", after["down_seconds"] - before)


def _objects(lab, pair, source, target):
    with fault.address_removed(source):
        pass
    pair.require_up("up with the address back")
    with fault.device_removed(target):
        lab.eventually("the peer's device gone is seen", lambda: not pair.now()["up"], 60)
    pair.require_up("up with the peer's device back")
    with fault.device_removed(source):
        lab.eventually("our device gone is seen", lambda: not pair.now()["up"], 60)
    pair.require_up("up with our device back")


def run(lab):
    first, second, iwarp, other = lab.hosts
    before = {host: rdma.resources(host) for host in lab.hosts}
    with rc_pair(lab, first, second) as pair:
        pair.require_up("up")
        _dead_path(lab, pair, second)
        _port_down(lab, pair, first)
        _objects(lab, pair, first, second)
        lab.note("problems", pair.problems())
    with rc_pair(lab, iwarp, other) as pair:
        pair.require_up("iWARP: up")
        _dead_path(lab, pair, other)
        _objects(lab, pair, iwarp, other)
        lab.note("iWARP: problems", pair.problems())
    for host in lab.hosts:
        lab.equal(f"{host.name}: nothing is left over", rdma.resources(host), before[host])
