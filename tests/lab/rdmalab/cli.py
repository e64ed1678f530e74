"""The command-line tool `rdmadiag`, run as a person or a job prolog would."""

import dataclasses
import json
import subprocess

from .pace import stretched
from .wait import wait_until


@dataclasses.dataclass
class Answer:
    status: int
    out: str
    err: str

    def json(self):
        return json.loads(self.out)


def rdmadiag(lab, *arguments: object, timeout: float = 60) -> Answer:
    command = [str(lab.binaries / "rdmadiag"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=stretched(timeout))
    return Answer(done.returncode, done.stdout, done.stderr)


def rdmadiag_until(lab, wanted, *arguments: object, timeout: float = 60) -> Answer:
    """Asks again until wanted(answer): a device may be read too slowly where the machine is."""
    answers: list[Answer] = []

    def ask() -> bool:
        answers.append(rdmadiag(lab, *arguments))
        return wanted(answers[-1])

    wait_until(ask, timeout)
    return answers[-1]
