"""`rdmadiag bench` over soft-RoCE: every operation and transport, valid JSON, and whatever goes wrong ends in one
sentence and leaves nothing behind."""

import json

import jsonschema

from rdmalab import fault, rdma
from rdmalab.bench import arguments, bench, serving
from rdmalab.cli import rdmadiag
from rdmalab.daemon import Daemon
from rdmalab.shell import Process
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2)
TIMEOUT = 600
WAYS = [("write", "rc"), ("read", "rc"), ("send", "rc"), ("write", "uc"), ("send", "uc"), ("send", "ud")]
LITTLE = ("--sizes", "64,1024", "--iterations", 50, "--depth", 16, "--cq-mod", 4, "--events")
LONG = ("--sizes", "64", "--duration", "60s", "--events")


def run(lab):
    client, peer = lab.hosts
    before = _resources(lab)
    with serving(peer) as server:
        _every_way(lab, client, server)
        _both_directions(lab, client, server)
        _wrong_wishes(lab, client, server)
        _measuring_end_dies(lab, client, server, before)
        _cable(lab, client, peer, server)
        _clean(lab, "after the cable", before)
    _peer_dies(lab, client, peer)
    _interrupted(lab, client, peer, before)
    _agent(lab, client, peer)
    _clean(lab, "at the end", before)


def _resources(lab):
    return [rdma.resources(host) for host in lab.hosts]


def _clean(lab, when, before):
    lab.eventually(f"nothing is left {when}", lambda: _resources(lab) == before, 30, poll=0.5)


def _every_way(lab, client, server):
    schema = json.loads((lab.repo / "docs/schemas/bench.schema.json").read_text())
    for operation, transport in WAYS:
        way = f"{operation} over {transport}"
        answer = bench(client, server, "--json", "--op", operation, "--transport", transport, *LITTLE)
        if not lab.equal(f"{way} is measured", (answer.status, answer.err), (0, "")):
            continue
        document = answer.json()
        jsonschema.validate(document, schema)
        lab.equal(f"{way}: sizes", [row["size_bytes"] for row in document["rows"]], [64, 1024])
        for row in document["rows"]:
            latency, bandwidth = row["latency"], row["bandwidth"]
            ordered = [latency[f"{name}_seconds"] for name in ("min", "p50", "p99", "p999", "max")]
            lab.check(f"{way}: figures in order", 0 < ordered[0] and ordered == sorted(ordered), ordered)
            lab.equal(f"{way}: bytes", bandwidth["bytes"], bandwidth["messages"] * row["size_bytes"])
            lab.note(f"{way} {row['size_bytes']}", (latency["p50_seconds"], bandwidth["avg_bytes_per_second"]))


def _both_directions(lab, client, server):
    answer = bench(
        client, server, "--json", "--op", "send", "--metric", "bandwidth", "--bidirectional", "--qps", 2,
        "--sizes", "4K", "--duration", "1s", "--depth", 16, "--cq-mod", 4, "--events",
    )
    lab.equal("both ends send on two queue pairs", (answer.status, answer.err), (0, ""))
    if answer.status == 0:
        row = answer.json()["rows"][0]
        lab.check("both directions count", 0 < row["peer_bandwidth"]["messages"] < row["bandwidth"]["messages"], row)


def _says(lab, name, answer, status, *words):
    """One sentence on stderr, nothing on stdout."""
    lab.equal(f"{name}: exit code", answer.status, status)
    said = all(word in answer.err for word in words) and "rdmadiag:" in answer.err
    lab.check(f"{name}: one clear sentence", said and len(answer.err.strip().splitlines()) <= 2, answer)


def _wrong_wishes(lab, client, server):
    answer = bench(client, server, "--op", "send", "--transport", "ud", "--sizes", "64K")
    _says(lab, "size above UD's MTU", answer, 3, "does not fit a UD datagram")
    answer = bench(client, server, "--mtu", 4096)
    _says(lab, "MTU above the port's", answer, 3, "MTU 4096 is above")
    answer = rdmadiag(lab, "bench", "127.0.0.1:1", "--device", client.device)
    _says(lab, "nobody there", answer, 3, "no agent and no")
    answer = rdmadiag(lab, "bench", server.address, "--device", "nosuch0")
    _says(lab, "unknown device", answer, 3, "no RDMA device nosuch0")
    answer = rdmadiag(lab, "bench", "no.such.host.invalid", "--device", client.device)
    _says(lab, "unknown peer", answer, 3, "no.such.host.invalid")


def _measure(client, server, *more):
    return Process(
        f"bench-client-{server.address[-5:]}",
        client.lab.binaries / "rdmadiag",
        *arguments(client, server, *LONG, *more),
    )


def _running(lab, client):
    lab.eventually("the run is on", lambda: rdma.resources(client)["qp"] > 1, 30)


def _measuring_end_dies(lab, client, server, before):
    process = _measure(client, server)
    _running(lab, client)
    busy = bench(client, server, *LITTLE)
    _says(lab, "a second run", busy, 3, "busy with the run of")
    process.kill()
    lab.eventually("kill -9 of the measuring end is noticed", lambda: _resources(lab) == before, 30, poll=0.5)
    again = bench(client, server, *LITTLE)
    lab.equal("and the next run goes", (again.status, again.err), (0, ""))


def _cable(lab, client, peer, server):
    process = _measure(client, server, "--op", "send")
    _running(lab, client)
    with fault.link_down(peer):
        lab.equal("cable pulled: exit code", process.wait(60), 3)
        log = process.log().strip().splitlines()
        lab.check("cable pulled: one clear sentence", log and log[-1].startswith("rdmadiag: "), process.log())
        lab.note("cable pulled", log[-1] if log else "")
        answer = rdmadiag(lab, "bench", server.address, "--device", peer.device, *LITTLE)
        _says(lab, "a port that is down", answer, 3, "no port of", "is active")
    peer.await_active()


def _peer_dies(lab, client, peer):
    with serving(peer) as server:
        process = _measure(client, server, "--op", "send")
        _running(lab, client)
        server.process.kill()
        lab.equal("kill -9 of the peer: exit code", process.wait(60), 3)
        log = process.log().strip().splitlines()
        lab.check("kill -9 of the peer: one clear sentence", log and log[-1].startswith("rdmadiag: "), process.log())
        lab.note("kill -9 of the peer", log[-1] if log else "")


def _interrupted(lab, client, peer, before):
    with serving(peer) as server:
        process = _measure(client, server)
        _running(lab, client)
        process.signal(2)
        lab.check("Ctrl-C ends the run", process.wait(30) in (3, -2), process.log())
        _clean(lab, "after Ctrl-C", before)
        server.process.signal(2)
        lab.equal("Ctrl-C ends the server", server.process.wait(30), 0)


def _agent(lab, client, peer):
    with Daemon(peer, {"bench": {"enabled": False}}) as agent:
        address = f"127.0.0.1:{peer.http_port}"
        ask = ("bench", address, "--device", client.device)
        _says(lab, "an agent that allows nothing", rdmadiag(lab, *ask, *LITTLE), 3, "bench.enabled is false")
        agent.write_config({"bench": {"enabled": True, "max_seconds": 20}})
        agent.reload()
        allowed = []

        def goes():
            allowed.append(rdmadiag(lab, *ask, "--json", *LITTLE))
            return allowed[-1].status == 0

        lab.eventually("an agent that allows it", goes, 30, poll=1)
        lab.check("it is measured", allowed[-1].status == 0, allowed[-1])
        answer = rdmadiag(lab, *ask, "--sizes", "64", "--duration", "15s")
        _says(lab, "longer than the agent allows", answer, 3, "bench.max_seconds")
        answer = rdmadiag(lab, *ask, "--sizes", "64", "--iterations", 100_000_000, "--events", timeout=120)
        lab.check("a run without end is ended by the agent", answer.status == 3 and "max_seconds" in answer.err, answer)
