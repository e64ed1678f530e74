"""RC probes over real queue pairs: SEND, WRITE, READ, unreliable, iWARP; lossy; nothing left over."""

from rdmalab import fault, rdma
from rdmalab.rc_pair import rc_pair
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2, siw=2)
TIMEOUT = 300


def _healthy(lab, name, source, target, *options):
    with rc_pair(lab, source, target, *options) as pair:
        pair.require_up(f"{name}: up")
        said = pair.now()
        lab.note(f"{name}: round trip, microseconds", said.get("rtt_us"))
        lab.between(f"{name}: nothing is lost", said["sent"] - said["arrived"], 0, 1)
        lab.equal(f"{name}: nothing is made anew", sum(said["rebuilds"].values()), 0)
        lab.between(f"{name}: one connection at the peer", said["accepted"], 1, 1)


def run(lab):
    first, second, iwarp, other = lab.hosts
    before = {host: rdma.resources(host) for host in lab.hosts}
    _healthy(lab, "send", first, second)
    _healthy(lab, "write", first, second, "write")
    _healthy(lab, "read", first, second, "read")
    _healthy(lab, "unreliable", first, second, "send", "unreliable")
    _healthy(lab, "iWARP", iwarp, other)
    with rc_pair(lab, first, second) as pair, fault.impaired(second, "loss 10%"):
        pair.require_up("up with 10 % loss", 50)
        said = pair.now()
        lab.between("the NIC repeats what is lost", said["sent"] - said["arrived"], 0, 1)
    for host in lab.hosts:
        lab.equal(f"{host.name}: nothing is left over", rdma.resources(host), before[host])
