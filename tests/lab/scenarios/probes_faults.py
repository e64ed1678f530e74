"""One fault after the other under running probes: each is seen for what it is, and all is well again after it."""

import time

from rdmalab import fault, rdma
from rdmalab.mesh import (
    add_up,
    lost_by_direction,
    mesh,
    outcomes,
    settled,
    wait_settled,
    write_key,
)
from rdmalab.topology import Flat
from rdmalab.wait import pause

TOPOLOGY = Flat(rxe=4)
TIMEOUT = 1500
RECOVERY = 10


def run(lab):
    before = [rdma.resources(host) for host in lab.hosts]
    with mesh(lab, ud={"leaf_rate": 20}) as daemons:
        wait_settled(lab, daemons)
        for check in (
            _delay,
            _reorder_and_duplicate,
            _corruption,
            _dscp_rewritten,
            _link_down,
            _killed,
            _stopped,
            _address_removed,
            _device_removed,
            _wrong_key,
        ):
            check(lab, daemons, daemons[1])
            ended = time.monotonic()
            lab.eventually(
                f"{check.__name__[1:]}: all is well afterwards",
                lambda: settled(daemons),
                RECOVERY,
                poll=0.5,
            )
            lab.note(f"{check.__name__[1:]}: well after, s", f"{time.monotonic() - ended:.1f}")
    lab.equal("nothing is left behind", [rdma.resources(host) for host in lab.hosts], before)


def _lost(daemons) -> float:
    """By now; a probe without an answer is lost after 5 s for certain."""
    return sum(sum(counts.values()) for counts in lost_by_direction(daemons).values())


def _all_lost(daemons) -> float:
    """Of all that was sent so far. To be compared while a fault lasts: the kernel takes a netdev's queue away for
    a moment when a qdisc comes or goes, and what is sent then is lost indeed."""
    _for(6)
    return _lost(daemons)


def _for(seconds: float) -> None:
    pause(seconds)


def _rtt(daemon) -> tuple[float, float]:
    metrics = daemon.scrape()
    return (
        metrics.total("rdma_probe_rtt_seconds_sum", scope="leaf"),
        metrics.total("rdma_probe_rtt_seconds_count", scope="leaf"),
    )


def _mean_rtt(daemon, seconds: float) -> float:
    total, count = _rtt(daemon)
    _for(seconds)
    later_total, later_count = _rtt(daemon)
    return (later_total - total) / max(later_count - count, 1)


def _delay(lab, daemons, victim):
    healthy = _mean_rtt(victim, 5)
    with fault.impaired(victim.host, "delay 50ms", fault.OUT):
        lost = _all_lost(daemons)
        delayed = _mean_rtt(victim, 5)
        lab.equal("delay: nothing is lost", _all_lost(daemons), lost)
    lab.between("delay: the RTT shifts by it", delayed - healthy, 0.045, 0.08)


def _reorder_and_duplicate(lab, daemons, victim):
    with fault.impaired(victim.host, "delay 5ms reorder 50% duplicate 20%", fault.BOTH):
        lost = _all_lost(daemons)
        ok = outcomes(victim).get("ok", 0)
        lab.eventually(
            "reorder and duplicate: probes go on", lambda: outcomes(victim).get("ok", 0) > ok + 100, 60
        )
        lab.equal("reorder and duplicate: nothing is lost", _all_lost(daemons), lost)
    replayed = add_up(daemons, "rdma_probe_responses_total", result="replayed")
    lab.check("reorder and duplicate: duplicates are not answered", replayed > 0, replayed)


def _corruption(lab, daemons, victim):
    lost = _lost(daemons)
    with fault.impaired(victim.host, "corrupt 30%", fault.IN):
        lab.eventually("corruption shows as loss", lambda: _lost(daemons) > lost + 5, 60)


def _dscp_rewritten(lab, daemons, victim):
    counted = lambda: victim.scrape().total("rdma_probe_dscp_rewritten_total")
    lab.equal("DSCP: nobody re-marks", add_up(daemons, "rdma_probe_dscp_rewritten_total"), 0)
    with fault.dscp_rewritten(victim.host, 46):
        lost = _all_lost(daemons)
        lab.eventually("DSCP: seen that it is another on the way there", lambda: counted() > 20, 30)
        lab.equal("DSCP: nothing is lost", _all_lost(daemons), lost)
    others = add_up([daemons[0], *daemons[2:]], "rdma_probe_dscp_rewritten_total")
    lab.equal("DSCP: what the others send is not re-marked", others, 0)


def _link_down(lab, daemons, victim):
    with fault.link_down(victim.host):
        lab.eventually(
            "link down: the port says so",
            lambda: victim.value("rdma_port_up", port="1") == 0,
            30,
        )
        lab.eventually(
            "link down: the connections to it are down",
            lambda: _connection(daemons[0], victim) == 0,
            90,
        )
        lab.equal(
            "link down: the others keep theirs", _connection(daemons[0], daemons[2]), 1
        )


def _connection(daemon, peer):
    return daemon.value("rdma_rc_probe_up", peer=f"{peer.host.name}/{peer.host.device}")


def _killed(lab, daemons, victim):
    victim.kill()
    _for(3)
    victim.start()
    lab.eventually("killed: all is well after the restart", lambda: settled(daemons), RECOVERY)
    lost = _all_lost([daemons[0], *daemons[2:]])
    _for(4)
    lab.equal(
        "killed: no loss is blamed on the network afterwards",
        _all_lost([daemons[0], *daemons[2:]]),
        lost,
    )


def _stopped(lab, daemons, victim):
    """SIGSTOP for 3 s: the host, not the network."""
    others = [daemons[0], *daemons[2:]]
    lost = _all_lost(others)
    with victim.process.frozen():
        _for(3)
    stalled = lambda: add_up(others, "rdma_probe_outcomes_total", outcome="peer_stall")
    late = lambda: add_up(others, "rdma_probe_outcomes_total", outcome="late")
    lab.eventually("stopped: seen as a stall of the host", lambda: stalled() + late() > 0, 30)
    lab.equal("stopped: no loss of the network", _all_lost(others), lost)


def _address_removed(lab, daemons, victim):
    unsent = outcomes(victim).get("not_sent", 0)
    with fault.address_removed(victim.host):
        lab.eventually(
            "address removed: its probes are not sent",
            lambda: outcomes(victim).get("not_sent", 0) > unsent,
            30,
        )


def _device_removed(lab, daemons, victim):
    with fault.device_removed(victim.host):
        _for(2)


def _wrong_key(lab, daemons, victim):
    rejected = add_up(daemons, "rdma_probe_responses_total", result="rejected")
    ok = outcomes(victim)
    write_key(secret="ffffffffffffffffffffffffffffffff")
    victim.reload()
    lab.eventually(
        "wrong key: refused and counted",
        lambda: add_up(daemons, "rdma_probe_responses_total", result="rejected") > rejected + 5,
        60,
    )
    lab.check("wrong key: it had answers before", ok.get("ok", 0) > 0)
    write_key()
    victim.reload()
