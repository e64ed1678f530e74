"""A hostile host floods an agent's responder: no answer to it, and honest probes go on."""

import json

from rdmalab import rdma
from rdmalab.mesh import KEY, lost, mesh, outcomes, wait_settled
from rdmalab.shell import run as tool
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=3)
TIMEOUT = 300
SECONDS = 10
REFUSED = ("random", "short", "wrong_key")


def run(lab):
    first, second, hostile = lab.hosts
    with mesh(lab, hosts=[first, second]) as daemons:
        wait_settled(lab, daemons)
        victim = daemons[0]
        (rnic,) = victim.get("/api/v1/endpoints").json()["rnics"]
        before, ok = _responses(victim), [outcomes(d).get("ok", 0) for d in daemons]
        said = json.loads(tool(
            lab.binaries / "lab_ud_flood", hostile.device, rnic["gid"], rnic["qpn"], rnic["qkey"], KEY, SECONDS,
            timeout=SECONDS + 60,
        ))
        lab.note("sent", said)
        sent = sum(said[kind] for kind in (*REFUSED, "replayed"))
        lab.check("it is a flood", sent > 200 * SECONDS, sent)
        gained = {k: v - before.get(k, 0) for k, v in _responses(victim).items() if v != before.get(k)}
        lab.note("the responder counts", gained)
        # The link and the receive queue drop what is too much; what came is told apart.
        lab.check("what makes no sense is counted", gained.get("rejected", 0) > sent / 50, gained)
        lab.between("a message that is repeated is answered once at most", said["answers"], 0, 2)
        for daemon, first_ok in zip(daemons, ok):
            now = outcomes(daemon).get("ok", 0)
            lab.check(f"{daemon.host.name}: honest probes go on", now > first_ok + 20, now - first_ok)
        wait_settled(lab, daemons)
        lab.check("the victim still runs", victim.process.running())
    for host in lab.hosts:
        lab.equal(f"{host.name}: nothing is left over", rdma.resources(host)["qp"], 1)


def _responses(daemon) -> dict[str, float]:
    counts: dict[str, float] = {}
    for labels, value in daemon.scrape().samples("rdma_probe_responses_total"):
        counts[labels["result"]] = counts.get(labels["result"], 0) + value
    return counts
