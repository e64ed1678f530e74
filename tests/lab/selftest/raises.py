"""A tool fails and nobody expected it."""

from rdmalab import shell
from rdmalab.topology import Bare

TOPOLOGY = Bare()


def run(lab):
    lab.check("before", True)
    shell.run("sh", "-c", "echo told >&2; exit 3")
