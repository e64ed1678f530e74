"""Does not end in its time; what it started must be gone for the next one."""

import time

from rdmalab import shell
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2)
TIMEOUT = 15


def run(lab):
    shell.Process("held", "ib_send_bw", "-d", "rxe1")
    lab.check("before", True)
    time.sleep(600)
