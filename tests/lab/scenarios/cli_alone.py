"""`rdmadiag` beside a stopped daemon: status, devices, gids, counters, qps, doctor and their exit codes."""

from rdmalab import fault, perftest, rdma
from rdmalab.cli import rdmadiag, rdmadiag_until
from rdmalab.daemon import Daemon
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2, siw=1)
QUICK = True
TIMEOUT = 240


def run(lab):
    host, peer, iwarp = lab.hosts
    with Daemon(host):
        pass
    perftest.traffic(host, peer)
    _status(lab, host)
    _devices_and_gids(lab, host, iwarp)
    _counters(lab, host)
    _queue_pairs(lab, host, peer)
    doctor = rdmadiag(lab, "doctor")
    lab.equal("doctor finds nothing to mend", (doctor.status, doctor.err), (0, ""))
    lab.equal("unknown command", rdmadiag(lab, "nonsense").status, 64)
    nobody = rdmadiag(lab, "status", "--agent", f"127.0.0.1:{host.http_port}")
    lab.check(
        "the agent is not there", nobody.status == 3 and nobody.err and not nobody.out, nobody
    )


def _status(lab, host):
    fine = rdmadiag_until(lab, lambda a: a.status == 0, "status")
    lab.check("status is fine", fine.status == 0 and "healthy" in fine.out, fine)
    with fault.link_down(host):
        down = rdmadiag_until(lab, lambda a: a.status == 2, "status")
        lab.check("a dead link is critical", down.status == 2 and "link-down" in down.out, down)
    again = rdmadiag_until(lab, lambda a: a.status == 0, "status")
    lab.equal("fine again", again.status, 0)
    only = rdmadiag(lab, "--device.include", host.device, "status")
    lab.check("one device on demand", host.device in only.out and "rxe2" not in only.out, only)


def _devices_and_gids(lab, host, iwarp):
    rows = [line.split() for line in rdmadiag(lab, "devices").out.splitlines()[1:]]
    lab.equal("devices", [row[0] for row in rows], rdma.devices())
    lab.equal(
        "kinds", [row[1:3] for row in rows], [["rxe", "roce"], ["rxe", "roce"], ["siw", "iwarp"]]
    )
    ports = {p["device"]: p for p in rdmadiag(lab, "--json", "gids").json()["ports"]}
    said = [index for index, _, _ in rdma.gids(host)]
    lab.equal("GIDs", [g["index"] for g in ports[host.device]["gids"]], said)
    used = ports[host.device]["gids"][ports[host.device]["used_index"]]
    lab.equal("the one with the address is used", used["gid"], f"::ffff:{host.address}")
    lab.equal("iWARP's only one", ports[iwarp.device]["used_index"], 0)


def _counters(lab, host):
    def values(answer):
        devices = {d["device"]: d for d in answer.json()["devices"]}
        return {c["name"]: c["value"] for c in devices[host.device]["ports"][0]["counters"]}

    answer = rdmadiag(lab, "--json", "counters")
    lab.equal("counters", values(answer), rdma.statistic(host))
    moving = rdmadiag(lab, "--device.include", host.device, "counters", "--nonzero").out
    lab.check(
        "only what moved", "sent_pkts" in moving and "retry_exceeded_err" not in moving, moving
    )


def _queue_pairs(lab, host, peer):
    serving, client = perftest.endless(host, peer)
    wanted = {(host.device, "RC", "RTS")}

    def theirs(answer):
        pairs = answer.json()["queue_pairs"]
        return {(p["device"], p["type"], p["state"]) for p in pairs if p["pid"] == client.pid}

    answer = rdmadiag_until(lab, lambda a: theirs(a) == wanted, "--json", "qps")
    lab.equal("a live queue pair and its owner", theirs(answer), wanted)
    client.kill()
    serving.kill()
