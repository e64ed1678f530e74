"""`rdmadiag trace` over three routers, two of them by turns: who shares a way, and no packet at the peer."""

import json
import subprocess

from rdmalab import shell
from rdmalab.topology import Bare

TOPOLOGY = Bare()
TIMEOUT = 240
# Source and peer behind a leaf each, two spines between the leaves.
LINKS = [("source", "leaf1"), ("leaf1", "spine1"), ("leaf1", "spine2"), ("leaf2", "spine1"),
         ("leaf2", "spine2"), ("leaf2", "peer")]
PEER = "10.5.0.2"
ROCE_PORT = 4791
LISTEN = f"""
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("0.0.0.0", {ROCE_PORT}))
print("listening", flush=True)
while True:
    print("got", s.recvfrom(64), flush=True)
"""  # fmt: skip


def run(lab):
    _build()
    listening = shell.Process("peer", "ip", "netns", "exec", "peer", "python3", "-c", LISTEN)
    lab.eventually("the peer listens on RoCE's port", lambda: "listening" in listening.log(), 20)
    answer = _trace(lab, "--to", PEER, "--labels", 12)
    lab.require("traced", answer.returncode == 0, answer)
    said = json.loads(answer.stdout)
    lab.equal("distance", said["distance"], 4)
    ways = {p["label"]: [h["router"] for h in p["hops"]] for p in said["paths"]}
    lab.equal("labels", len(ways), 12)
    spines = {way[1] for way in ways.values()}
    lab.equal("the leaf before", {way[0] for way in ways.values()}, {"10.0.0.2"})
    lab.equal("both spines are used", spines, {"10.1.0.2", "10.2.0.2"})
    # A router answers from the interface towards the source: the second leaf from either spine's side.
    lab.equal("the leaf after", {way[2] for way in ways.values()}, {"10.3.0.1", "10.4.0.1"})
    shared = {frozenset(group) for group in said["shared"]}
    by_spine = {frozenset(n for n, way in ways.items() if way[1] == s) for s in spines}
    lab.equal("who shares a way", shared, by_spine)
    again = json.loads(_trace(lab, "--to", PEER, *_labels(ways)).stdout)
    lab.equal(
        "the same labels take the same ways",
        {p["label"]: [h["router"] for h in p["hops"]] for p in again["paths"]},
        ways,
    )
    lab.equal("nothing came to the peer's RoCE port", listening.log(), "listening\n")
    lab.check("no privilege was needed", _trace(lab, "--to", PEER, "--labels", 1, user=True).returncode == 0)
    _gap(lab)
    listening.kill()


def _gap(lab):
    """A router that answers nothing leaves a gap, said and with exit status 3."""
    _ip("leaf2", "route", "delete", "10.0.0.0/24")
    answer = _trace(lab, "--to", PEER, "--labels", 2, "--hops", 4)
    lab.equal("a silent router: exit status", answer.returncode, 3)
    paths = json.loads(answer.stdout)["paths"]
    lab.equal("a silent router: a gap", [p["hops"][2] for p in paths], [{}, {}])


def _labels(ways):
    return [word for label in ways for word in ("--label", label)]


def _trace(lab, *arguments, user=False):
    command = ["ip", "netns", "exec", "source"]
    if user:
        command += ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all"]
    command += [str(lab.binaries / "rdmadiag"), "--json", "trace", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def _build():
    nodes = ["source", "leaf1", "spine1", "spine2", "leaf2", "peer"]
    for node in nodes:
        shell.run("ip", "netns", "add", node)
        # By addresses, protocol and ports (policy 3): policy 1 would take the sending socket's random hash, which
        # a veth carries into the next namespace.
        _sysctl(node, "net.ipv4.ip_forward=1", "net.ipv4.conf.all.rp_filter=0",
                "net.ipv4.conf.default.rp_filter=0", "net.ipv4.fib_multipath_hash_policy=3",
                "net.ipv4.fib_multipath_hash_fields=0x37",
                "net.ipv4.icmp_errors_use_inbound_ifaddr=1")  # fmt: skip
        _ip(node, "link", "set", "lo", "up")
    for number, (near, far) in enumerate(LINKS):
        shell.run("ip", "link", "add", f"n{number}", "netns", near, "type", "veth",
                  "peer", "name", f"f{number}", "netns", far)  # fmt: skip
        for node, end, last in ((near, "n", 1), (far, "f", 2)):
            _ip(node, "addr", "add", f"10.{number}.0.{last}/24", "dev", f"{end}{number}")
            _ip(node, "link", "set", f"{end}{number}", "up")
    _ip("source", "route", "add", "default", "via", "10.0.0.2")
    _ip("peer", "route", "add", "default", "via", "10.5.0.1")
    _ip("leaf1", "route", "add", "10.5.0.0/24", "nexthop", "via", "10.1.0.2", "nexthop", "via", "10.2.0.2")
    _ip("leaf2", "route", "add", "10.0.0.0/24", "nexthop", "via", "10.3.0.2", "nexthop", "via", "10.4.0.2")
    for spine, uplink, downlink in (("spine1", "10.1.0.1", "10.3.0.1"), ("spine2", "10.2.0.1", "10.4.0.1")):
        _ip(spine, "route", "add", "10.0.0.0/24", "via", uplink)
        _ip(spine, "route", "add", "10.5.0.0/24", "via", downlink)


def _ip(node, *arguments):
    shell.run("ip", "-n", node, *arguments)


def _sysctl(node, *settings):
    for setting in settings:
        name, value = setting.split("=")
        path = "/proc/sys/" + name.replace(".", "/")
        shell.run("ip", "netns", "exec", node, "sh", "-c", f"echo {value} > {path}")
