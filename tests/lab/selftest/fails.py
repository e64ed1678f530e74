"""One check of two fails; the scenario goes on after it."""

from rdmalab.topology import Bare

TOPOLOGY = Bare()


def run(lab):
    lab.equal("wrong", 1, 2)
    lab.check("right", True)
