"""A link loses packets: Prometheus and Alertmanager page for that NIC alone, with a runbook, and call it off after the repair."""

import pathlib

from rdmalab import fault
from rdmalab.alertmanager import Alertmanager, PORT, Receiver
from rdmalab.mesh import connected, mesh, nic
from rdmalab.prometheus import Prometheus
from rdmalab.topology import Flat
from rdmalab.wait import wait_until

TOPOLOGY = Flat(rxe=4)
TIMEOUT = 1500
FAULT_SECONDS = 300
# Every window of 30 s shows it, and yet a connection hardly ever loses a message eight times in a row.
LOSS = "loss 20%"
# Rules and routes as they are shipped, nothing shortened: the verdict's half minute, `for`, group_wait.
CLUSTER = "lab"


def run(lab):
    receiver = Receiver()
    Alertmanager(lab.repo / "packaging/alertmanager/alertmanager.yml")
    rules = sorted((lab.repo / "config/alerts").glob("*.yml"))
    with mesh(lab) as daemons:
        prometheus = _prometheus(daemons, rules)
        lab.eventually("all targets are up", lambda: prometheus.value("sum(up)") == 4, 90)
        lab.require("the mesh is connected", wait_until(lambda: connected(daemons), 240, poll=1))
        # Losses of the start, while hosts came one by one, have left the windows.
        lab.eventually("the start is over", lambda: _knows_all(prometheus, 4), 240, poll=2)
        wait_until(lambda: _alerts(prometheus), 60, poll=2)
        lab.equal("healthy: nothing fires", _alerts(prometheus), set())
        victim = daemons[2]
        with fault.impaired(victim.host, LOSS, fault.IN):
            lab.eventually("a page arrives", lambda: receiver.seen("firing"), FAULT_SECONDS, poll=1)
            wait_until(lambda: False, 30)
            fired = _alerts(prometheus)
        _right_alert(lab, receiver, victim)
        lab.note("fired in Prometheus", sorted(fired))
        allowed = {"RdmaNicSuspect", "RdmaPeersUnreachable"}
        lab.check("in Prometheus nothing fires but what the victim shows", {n for n, _w in fired} <= allowed, fired)
        lab.equal("and all of it at the victim", {where for _n, where in fired}, {nic(victim.host)})
        lab.eventually("nothing fires after the repair", lambda: not _alerts(prometheus), FAULT_SECONDS, poll=1)
        lab.eventually("and the page is called off", lambda: receiver.seen("resolved"), FAULT_SECONDS, poll=1)
        lab.equal(
            "nobody was told anything else",
            {labels["alertname"] for _p, labels, _n in receiver.seen("firing") + receiver.seen("resolved")},
            {"RdmaNicSuspect"},
        )
        prometheus.stop()


def _prometheus(daemons, rules) -> Prometheus:
    targets = [
        {"targets": [f"127.0.0.1:{d.host.http_port}"], "labels": {"instance": d.host.name}}
        for d in daemons
    ]
    return Prometheus(targets, "5s", rules, [f"127.0.0.1:{PORT}"], {"cluster": CLUSTER})


def _knows_all(prometheus, nics: int) -> bool:
    """The rules know every NIC, and no alert is even pending."""
    known = prometheus.value("count(nic:rdma_leaf_bad_peers:ratio)") == nics
    return known and not prometheus.query("ALERTS")


def _alerts(prometheus) -> set[tuple[str, str]]:
    """Name and NIC of what fires."""
    return {
        (labels["alertname"], labels.get("nic") or f"{labels.get('instance')}/{labels.get('device')}")
        for labels, _value in prometheus.query('ALERTS{alertstate="firing"}')
    }


def _right_alert(lab, receiver, victim):
    path, labels, annotations = receiver.seen("firing")[0]
    lab.equal("it goes to the pager", path, "/pager")
    want = {
        "alertname": "RdmaNicSuspect",
        "severity": "page",
        "nic": nic(victim.host),
        "leaf": victim.host.leaf,
        "cluster": CLUSTER,
    }
    lab.equal("with the right labels", labels, want)
    page = pathlib.PurePosixPath(annotations["runbook_url"]).name
    lab.check("its runbook is there", (lab.repo / "docs/runbooks" / page).exists(), page)
    lab.check("its summary names the NIC", nic(victim.host) in annotations["summary"], annotations["summary"])
