"""Packets lost on one host's link: counted by everybody, with the right direction, and over when it is over."""

from rdmalab import fault
from rdmalab.mesh import lost_by_direction, mesh, settled, wait_settled
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=4)
TIMEOUT = 900
RATE = 30
ENOUGH = 20  # lost probes, to speak of a share


def run(lab):
    with mesh(lab, ud={"leaf_rate": RATE}) as daemons:
        wait_settled(lab, daemons)
        for what, direction, at_victim, at_others in (
            ("loss 30%", fault.IN, "rev", "fwd"),
            ("loss 30%", fault.OUT, "fwd", "rev"),
            ("loss 5%", fault.IN, "rev", "fwd"),
            ("loss 5%", fault.OUT, "fwd", "rev"),
        ):
            _lossy(lab, daemons, what, direction, at_victim, at_others)
        _both_ways(lab, daemons)


def _lossy(lab, daemons, what, direction, at_victim, at_others):
    victim, others = daemons[1], [daemons[0], *daemons[2:]]
    name = f"{what} {direction}"
    before = lost_by_direction(daemons)
    with fault.impaired(victim.host, what, direction):
        lab.eventually(
            f"{name}: losses are counted",
            lambda: sum(_since(before, [victim]).values()) >= ENOUGH
            and sum(_since(before, others).values()) >= ENOUGH,
            180,
            poll=1,
        )
    lab.eventually(f"{name}: all is well afterwards", lambda: settled(daemons), 60, poll=1)
    for who, daemons_of, right in (
        ("the victim", [victim], at_victim),
        ("the others", others, at_others),
    ):
        counts = _since(before, daemons_of)
        lab.note(f"{name}, {who}", counts)
        share = counts.get(right, 0) / max(sum(counts.values()), 1)
        lab.between(f"{name}: {who} see it {right}", share, 0.9, 1)
    wrong = [_beside(daemon, victim) for daemon in others]
    lab.equal(f"{name}: nothing lost between the others", wrong, [0] * len(others))


def _both_ways(lab, daemons):
    victim = daemons[1]
    before = lost_by_direction(daemons)
    with fault.impaired(victim.host, "loss 30%", fault.BOTH):
        lab.eventually(
            "both ways: losses each way are counted",
            lambda: min(_since(before, daemons).get(d, 0) for d in ("fwd", "rev")) >= ENOUGH,
            180,
            poll=1,
        )
    lab.eventually("both ways: all is well afterwards", lambda: settled(daemons), 60, poll=1)


def _since(before, daemons) -> dict[str, float]:
    """Losses by direction since `before`, of these daemons."""
    now = lost_by_direction(daemons)
    counts: dict[str, float] = {}
    for daemon in daemons:
        for direction, value in now[daemon.host.name].items():
            old = before[daemon.host.name].get(direction, 0)
            counts[direction] = counts.get(direction, 0) + value - old
    return counts


def _beside(daemon, victim) -> float:
    """Peers other than the victim that look bad from here."""
    bad = daemon.scrape().samples("rdma_probe_bad_peer")
    return sum(1 for labels, _v in bad if not labels["peer"].startswith(victim.host.name))
