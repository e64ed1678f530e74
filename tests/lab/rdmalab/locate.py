"""Who is blamed for lost probes: by the recording rules in a Prometheus, and by `rdmadiag locate`."""

import time

from .cli import rdmadiag
from .wait import wait_until

VERDICT_SECONDS = 75  # promised
ALLOWANCE = 30  # emulation
NOBODY: set[tuple[str, str, str]] = set()
NIC_PARTS = ("nic", "nic_send", "nic_receive")


def suspects(prometheus) -> set[str]:
    """NICs and leaves."""
    found = {labels["nic"] for labels, _value in prometheus.query("nic:rdma_suspect")}
    return found | {labels["leaf"] for labels, _value in prometheus.query("leaf:rdma_suspect")}


def bad_leaves(prometheus) -> tuple[set[str], set[str]]:
    """Leaves with bad egress, with bad ingress."""
    return tuple(
        {labels["leaf"] for labels, _v in prometheus.query(f"leaf:rdma_{way}_bad:ratio > 0.5")}
        for way in ("egress", "ingress")
    )


def nics(parts) -> set[str]:
    return {name for part, name, _other in parts if part in NIC_PARTS}


class Locating:
    """`rdmadiag locate`, asked of the first host's agent."""

    def __init__(self, lab):
        self._lab = lab

    def parts(self) -> set[tuple[str, str, str]]:
        """Part, name and other name of each verdict."""
        answer = rdmadiag(
            self._lab, "--json", "locate", "--agent", f"127.0.0.1:{self._lab.hosts[0].http_port}"
        )
        return {(v["part"], v["name"], v["other"]) for v in answer.json()["verdicts"]}

    def both(self, fault: str, rules, want, verdict) -> None:
        """Within the promised time of now, rules() becomes `want`, and verdict(parts) true."""
        started = time.monotonic()
        seen: dict[str, float] = {}
        told: dict[str, object] = {}

        def look(who: str, value: object, found: object) -> None:
            after = round(time.monotonic() - started, 1)
            if told.get(who) != value:
                self._lab.note(f"{fault}: after {after} s {who} says", value)
            told[who] = value
            if found:
                seen.setdefault(who, after)

        def done() -> bool:
            blamed = rules()
            look("the rules", blamed, blamed == want)
            if "locate" not in seen:
                parts = self.parts()
                look("locate", parts, verdict(parts))
            return len(seen) == 2

        # It asks all agents of all paths: not each second.
        wait_until(done, VERDICT_SECONDS + ALLOWANCE, poll=8)
        for who in ("the rules", "locate"):
            self._lab.check(f"{fault}: found by {who}", who in seen, seen.get(who, told.get(who)))
