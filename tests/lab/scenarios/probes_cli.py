"""Four agents probe each other; `rdmadiag` asks them: peers, pinglist, mesh, locate."""

from rdmalab.cli import rdmadiag, rdmadiag_until
from rdmalab.mesh import mesh, nic, wait_settled
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=4)
TIMEOUT = 420


def run(lab):
    with mesh(lab) as daemons:
        wait_settled(lab, daemons)
        agent = ["--agent", f"127.0.0.1:{lab.hosts[0].http_port}"]
        _peers(lab, agent)
        _pinglist(lab, agent)
        _mesh(lab, agent)
        healthy = rdmadiag(lab, "locate", *agent)
        lab.check("a healthy fabric: no verdict", "no verdict" in healthy.out, healthy)
        daemons[-1].kill()
        gone = rdmadiag(lab, "--json", "mesh", *agent)
        silent = [agent["agent"] for agent in gone.json()["silent"]]
        lab.equal("an agent that died is named", silent, [lab.hosts[-1].name])


def _peers(lab, option):
    answer = rdmadiag_until(lab, lambda a: a.status == 0, "--json", "peers", *option)
    lab.equal("peers is fine", answer.status, 0)
    agents = {a["id"]: a for a in answer.json()["agents"]}
    lab.equal("every agent is known", set(agents), {host.name for host in lab.hosts})
    nics = {name for agent in agents.values() for name in agent["nics"]}
    lab.equal("every NIC is", nics, {nic(host) for host in lab.hosts})
    own = [name for name, agent in agents.items() if agent["self"]]
    lab.equal("one of them is itself", own, [lab.hosts[0].name])
    text = rdmadiag(lab, "peers", *option)
    lab.note("peers", text.out)
    lab.check("also as text", all(host.name in text.out for host in lab.hosts), text)


def _pinglist(lab, agent):
    answer = rdmadiag(lab, "--json", "pinglist", *agent)
    (rnic,) = answer.json()["rnics"]
    lab.equal("the pinglist of its NIC", rnic["nic"], nic(lab.hosts[0]))
    targets = {t["peer"] for t in rnic["targets"] if t["scope"] == "leaf" and t["resolved"]}
    lab.equal("holds every other NIC", targets, {nic(h) for h in lab.hosts[1:]})
    text = rdmadiag(lab, "pinglist", "--explain", *agent)
    lab.note("pinglist --explain", text.out)
    lab.check("and says why", "rank 1 of 3 candidates" in text.out, text)


def _mesh(lab, agent):
    wanted = {(nic(a), nic(b)) for a in lab.hosts for b in lab.hosts if a is not b}

    def measured(answer):
        pairs = answer.json()["pairs"]
        return {(p["from"], p["to"]) for p in pairs if p["sent"] > 0 and p["rtt_p50_seconds"]}

    answer = rdmadiag_until(lab, lambda a: measured(a) == wanted, "--json", "mesh", *agent)
    lab.equal("every pair, both ways, has a round-trip time", measured(answer), wanted)
    lab.equal("every agent answered", answer.json()["silent"], [])
    text = rdmadiag(lab, "mesh", *agent)
    lab.note("mesh", text.out)
    lab.check("the table names every NIC", all(nic(host) in text.out for host in lab.hosts), text)
