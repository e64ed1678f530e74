"""What a scenario is handed: the hosts of its fabric, and checks that are reported one by one."""

import pathlib

from .wait import wait_until

LOG_TAIL = 6000


class Stop(Exception):
    """A check failed without which the rest of the scenario means nothing."""


class Lab:
    """`hosts` are those of the scenario's topology. A failed check is reported and the scenario goes on,
    except for `require`."""

    def __init__(self, topology, send, binaries: pathlib.Path, repo: pathlib.Path):
        self.topology = topology
        self.hosts = topology.hosts
        self.binaries = binaries
        self.repo = repo
        self.failed = False
        self.long = False  # RDMADIAG_LAB_LONG=1: times as the documents promise, not those of a CI run
        self._send = send
        for host in self.hosts:
            host.lab = self

    def check(self, name: str, ok: object, detail: object = "") -> bool:
        self.failed |= not ok
        self._send({"event": "check", "name": name, "ok": bool(ok), "detail": str(detail)[:2000]})
        return bool(ok)

    def require(self, name: str, ok: object, detail: object = "") -> None:
        if not self.check(name, ok, detail):
            raise Stop(name)

    def equal(self, name: str, got: object, want: object) -> bool:
        return self.check(name, got == want, got if got == want else f"got {got!r}, want {want!r}")

    def between(self, name: str, got: float | None, low: float, high: float) -> bool:
        return self.check(
            name, got is not None and low <= got <= high, f"{got}, want {low} to {high}"
        )

    def eventually(self, name: str, condition, timeout: float, poll: float = 0.1) -> bool:
        """Whether condition() becomes true in time; its last value is the detail."""
        value = wait_until(condition, timeout, poll)
        return self.check(name, value, "" if value is True else value)

    def note(self, name: str, value: object) -> None:
        """A figure worth seeing that is no check."""
        self._send({"event": "note", "name": name, "value": str(value)})

    def attach(self, path: pathlib.Path) -> None:
        """Shows the end of a log, where the scenario failed."""
        text = path.read_text(errors="replace")[-LOG_TAIL:]
        if text.strip():
            self._send({"event": "log", "name": path.name, "text": text})
