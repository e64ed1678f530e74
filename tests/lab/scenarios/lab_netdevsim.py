"""The lab itself: a simulated NIC whose devlink health breaks, recovers, and stays broken when it cannot."""

from rdmalab.netdevsim import NetdevSim
from rdmalab.topology import Bare

TOPOLOGY = Bare()


def run(lab):
    nic = NetdevSim()
    dummy = nic.reporters()["dummy"]
    lab.equal(
        "healthy at first", (dummy["state"], dummy["error"], dummy["recover"]), ("healthy", 0, 0)
    )
    nic.break_health("first")
    dummy = nic.reporters()["dummy"]
    lab.equal(
        "an error is recovered from",
        (dummy["state"], dummy["error"], dummy["recover"]),
        ("healthy", 1, 1),
    )
    nic.fail_recovery(True)
    nic.break_health("second")
    dummy = nic.reporters()["dummy"]
    lab.equal(
        "without recovery it stays in error",
        (dummy["state"], dummy["error"], dummy["recover"]),
        ("error", 2, 1),
    )
    nic.fail_recovery(False)
    nic.recover()
    lab.equal("recovery by hand mends it", nic.reporters()["dummy"]["state"], "healthy")
