"""The kernel logs an Oops: the scenario fails whatever it checked, and the guest is not used again."""

import pathlib

from rdmalab.topology import Bare

TOPOLOGY = Bare()


def run(lab):
    lab.check("all seems well", True)
    pathlib.Path("/dev/kmsg").write_text("Oops: pretended\n")
