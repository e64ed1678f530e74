"""RC probes from one host to another by the library alone, without agents: lab_rc_pair."""

import contextlib
import json
import signal

from .shell import Process


class RcPair:
    def __init__(self, lab, source, target, *options: str):
        self.lab = lab
        name = "-".join(["rc", source.device, target.device, *options])
        self.process = Process(
            name, lab.binaries / "lab_rc_pair", source.device, target.device, *options
        )

    def history(self) -> list[dict]:
        """All it said, four times a second; a line that is being written does not count."""
        whole = self.process.log().rpartition("\n")[0].splitlines()
        return [json.loads(line) for line in whole if line.startswith("{")]

    def now(self) -> dict:
        """What it said last; {} before the first time."""
        return next(reversed(self.history()), {})

    def problems(self) -> list[str]:
        """What was wrong, each problem once, in turn."""
        return list(dict.fromkeys(said["problem"] for said in self.history() if said["problem"]))

    def require_up(self, name: str, more: int = 20) -> None:
        """It is up, and that many more messages are acknowledged."""
        before = self.now().get("arrived", 0)

        def acknowledged():
            said = self.now()
            return said.get("up") and said["arrived"] >= before + more

        if not self.lab.eventually(name, acknowledged, 60):
            self.lab.note(f"{name}: problems", self.problems())

    def stop(self) -> int:
        self.process.signal(signal.SIGTERM)
        return self.process.wait(20)


@contextlib.contextmanager
def rc_pair(lab, source, target, *options: str):
    pair = RcPair(lab, source, target, *options)
    try:
        yield pair
    finally:
        lab.equal(f"{pair.process.name} ends cleanly", pair.stop(), 0)
