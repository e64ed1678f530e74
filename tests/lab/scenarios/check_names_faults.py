"""`rdmadiag check` names each fault with the right device and next step, and is silent without one.

Soft-RoCE counts no CQ overflow and tells of one only to the queue's owner: there `check` says that it
cannot tell, and names the queue pair that the overflow has driven to ERR.
"""

import json
import os
import signal
import time

from rdmalab import fault, perftest, shell
from rdmalab.cli import Answer, rdmadiag
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=3)
TIMEOUT = 900
INTERVAL = 10
QUIET_SECONDS = 60  # of traffic without a fault; RDMADIAG_LAB_LONG=1 makes it the full 300


def run(lab):
    host, peer, bystander = lab.hosts
    for of in lab.hosts:
        _mtu(of, 9000)
    _silent(lab, host, peer)
    _says_what_it_cannot_tell(lab, host)
    _link_down(lab, host)
    _no_address(lab, host)
    _small_mtu(lab, host)
    _loss(lab, host, peer, bystander)
    _receiver_not_ready(lab, host, peer)
    _queue_pair_in_error(lab, host, peer)
    _completion_queue_overflow(lab, host)
    again = rdmadiag(lab, "--json", "check", "--interval", "5s")
    lab.equal("all mended: silent again", _told(again), set())


def _mtu(host, mtu):
    for netdev in (host.netdev, host.switch_port):
        shell.run("ip", "link", "set", netdev, "mtu", mtu)


def _told(answer, notes=True):
    """Rule and device of each finding."""
    return {
        (f["rule"], f["subject"].get("device", "host"))
        for f in answer.json()["findings"]
        if notes or f["severity"] != "info"
    }


def _check(lab, during=None, interval=INTERVAL) -> Answer:
    """The diagnosis of that many seconds, in which `during` goes on."""
    arguments = ["--json", "check", "--interval", f"{interval}s"]
    if during is None:
        return rdmadiag(lab, *arguments)
    checking = shell.Process("check", lab.binaries / "rdmadiag", *arguments)
    start = len(checking.log())
    during()
    status = checking.wait(interval + 60)
    text = checking.log()[start:]
    return Answer(status, text[text.index("{") :], "")


def _named(lab, what, answer, rule, device, status):
    finding = next(
        (
            f
            for f in answer.json()["findings"]
            if (f["rule"], f["subject"].get("device")) == (rule, device)
        ),
        None,
    )
    lab.check(f"{what}: {rule} on {device}", finding, answer.out)
    if not finding:
        return None
    lab.check(f"{what}: a next step", finding["next_step"], finding)
    lab.equal(f"{what}: exit status", answer.status, status)
    runbook = rdmadiag(lab, "check", "--explain", rule)
    lab.check(f"{what}: a runbook", runbook.status == 0 and "\n1. " in runbook.out, runbook)
    lab.note(what, f"{finding['found']} | {finding['next_step']}")
    return finding


def _silent(lab, host, peer):
    seconds = 300 if lab.long else QUIET_SECONDS

    def traffic():
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            perftest.traffic(host, peer, "ib_send_bw", 4096, 200)

    answer = _check(lab, traffic, seconds)
    lab.equal(f"{seconds} s of traffic without a fault: silent", _told(answer), set())
    lab.note("found", [f["found"] for f in answer.json()["findings"]])
    lab.equal("exit status 0", answer.status, 0)


def _says_what_it_cannot_tell(lab, host):
    unknown = {
        (u["rule"], u["subject"].get("device", "host")): u["reason"]
        for u in _check(lab, interval=1).json()["unknown"]
    }
    reason = unknown.get(("queue-cq-overflow", host.device))
    lab.equal("a CQ overflow cannot be told here", reason, "the driver has no such counter")


def _link_down(lab, host):
    with fault.link_down(host):
        lab.eventually("the port sees it", lambda: "ACTIVE" not in host.state(), 20)
        answer = _check(lab, interval=1)
    _named(lab, "link down", answer, "link-down", host.device, 2)
    lab.equal("no other device is blamed", {d for _, d in _told(answer)}, {host.device})
    host.await_active()


def _no_address(lab, host):
    with fault.address_removed(host):
        answer = _check(lab, interval=1)
        _named(lab, "no address", answer, "address-no-ip", host.device, 1)
        lab.equal("no other device is blamed", {d for _, d in _told(answer)}, {host.device})


def _small_mtu(lab, host):
    _mtu(host, 1500)
    _named(lab, "small MTU", _check(lab, interval=1), "mtu-small", host.device, 0)
    _mtu(host, 9000)


def _loss(lab, sender, receiver, bystander):
    with fault.impaired(receiver, "loss 10%", fault.IN):
        answer = _check(
            lab, lambda: perftest.traffic(sender, receiver, "ib_send_bw", 4096, 200)
        )
    _named(lab, "loss", answer, "transport-out-of-sequence", receiver.device, 1)
    _named(lab, "loss", answer, "transport-retransmits", sender.device, 1)
    blamed = {device for _, device in _told(answer)}
    lab.check("the bystander is not blamed", bystander.device not in blamed, blamed)


def _moving(lab, sender):
    before = int(sender.sysfs("ports/1/hw_counters/sent_pkts").read_text())
    return lab.eventually(
        "traffic moves",
        lambda: int(sender.sysfs("ports/1/hw_counters/sent_pkts").read_text()) > before + 1000,
        60,
    )


def _receiver_not_ready(lab, sender, receiver):
    """A receiver that takes nothing and posts no buffer any more."""
    serving, client = perftest.endless(sender, receiver)
    _moving(lab, sender)
    with serving.frozen():
        answer = _check(lab)
    _named(lab, "receiver not ready", answer, "transport-rnr-sent", receiver.device, 1)
    _named(lab, "receiver not ready", answer, "transport-rnr-received", sender.device, 1)
    client.kill()
    serving.kill()


def _queue_pair_in_error(lab, sender, receiver):
    """The peer is killed; the program at this end sends on and does not look."""
    program = shell.Process("peer-killed", lab.binaries / "lab_peer_killed", sender.device, receiver.device)
    lab.eventually("connected", lambda: "peer" in program.log(), 60)
    os.kill(json.loads(program.log())["peer"], signal.SIGKILL)
    lab.eventually("its queue pair is in ERR", lambda: _in_error(lab, program), 60, 1)
    _names_owner(lab, "peer killed", sender, program)


def _completion_queue_overflow(lab, host):
    program = shell.Process("cq-overflow", lab.binaries / "lab_cq_overflow", host.device)
    lab.eventually("the device has told its owner", lambda: '"told":true' in program.log(), 60)
    lab.eventually("its queue pair is in ERR", lambda: _in_error(lab, program), 60, 1)
    answer = _names_owner(lab, "CQ overflow", host, program)
    unknown = {(u["rule"], u["subject"].get("device")) for u in answer.json()["unknown"]}
    lab.check(
        "that overflows are not counted is said",
        ("queue-cq-overflow", host.device) in unknown,
        unknown,
    )


def _names_owner(lab, what, host, program):
    """A queue pair of `program` in ERR; the program ends here."""
    answer = _check(lab, interval=1)
    found = _named(lab, what, answer, "queue-pair-error", host.device, 1)
    if found:
        lab.check("its owner is named", f"pid {program.pid}" in found["found"], found)
    program.signal(signal.SIGTERM)
    program.wait(20)
    return answer


def _in_error(lab, client):
    pairs = rdmadiag(lab, "--json", "qps", "--state", "err").json()["queue_pairs"]
    return any(p["pid"] == client.pid for p in pairs)
