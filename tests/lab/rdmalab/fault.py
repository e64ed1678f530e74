"""Faults on a host's link or on any veth, each for the time of a `with` block.

Directions are the host's: OUT is what it sends, IN is what it would receive.
"""

import contextlib

from .shell import run
from .wait import pause

HELD_BACK_SECONDS = 0.5  # more than any scenario's delay

OUT = "out"
IN = "in"
BOTH = "both"


@contextlib.contextmanager
def netem(netdev: str, what: str):
    """`what` as tc says it, for what leaves `netdev`: "loss 10%", "delay 5ms", "duplicate 5%",
    "delay 5ms reorder 50%", "corrupt 5%"."""
    run("tc", "qdisc", "replace", "dev", netdev, "root", "netem", "limit", 10000, *what.split())
    try:
        yield
    finally:
        if "delay" in what:
            # What it still holds back would be lost with it.
            run("tc", "qdisc", "change", "dev", netdev, "root", "netem", "limit", 10000)
            pause(HELD_BACK_SECONDS)
        run("tc", "qdisc", "delete", "dev", netdev, "root")


@contextlib.contextmanager
def impaired(host, what: str, direction: str = BOTH):
    with contextlib.ExitStack() as stack:
        if direction in (OUT, BOTH):
            stack.enter_context(netem(host.netdev, what))
        if direction in (IN, BOTH):
            stack.enter_context(netem(host.switch_port, what))
        yield


@contextlib.contextmanager
def dscp_rewritten(host, dscp: int):
    """Whatever `host` sends has that DSCP and no ECN when it leaves."""
    run("tc", "qdisc", "add", "dev", host.netdev, "clsact")
    try:
        run(
            *f"tc filter add dev {host.netdev} egress protocol ip matchall".split(),
            *f"action pedit ex munge ip tos set {dscp << 2:#x} pipe action csum ip".split(),
        )
        yield
    finally:
        run("tc", "qdisc", "delete", "dev", host.netdev, "clsact")


@contextlib.contextmanager
def link_down(host):
    """The cable pulled at the switch: the host sees its carrier go."""
    run("ip", "link", "set", host.switch_port, "down")
    try:
        yield
    finally:
        run("ip", "link", "set", host.switch_port, "up")


@contextlib.contextmanager
def address_removed(host):
    host.remove_address()
    try:
        yield
    finally:
        host.add_address()


@contextlib.contextmanager
def device_removed(host):
    """The RDMA device deleted, and made again. Waits until every program has closed it."""
    host.remove_device()
    try:
        yield
    finally:
        host.add_device()
