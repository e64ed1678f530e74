"""A required check fails, which ends the scenario."""

from rdmalab.topology import Bare

TOPOLOGY = Bare()


def run(lab):
    lab.require("needed", False)
    lab.check("not reached", True)
