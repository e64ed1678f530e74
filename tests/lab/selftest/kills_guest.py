"""Takes the guest's kernel down; those that wait for it get another guest."""

import pathlib
import time

from rdmalab.topology import Bare

TOPOLOGY = Bare()


def run(lab):
    lab.check("before", True)
    pathlib.Path("/proc/sysrq-trigger").write_text("c")
    time.sleep(600)
