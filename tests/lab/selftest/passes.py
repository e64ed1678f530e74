"""Passes, and asks for the fabric to be whole whatever ran before it in this guest."""

from rdmalab import rdma
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2)


def run(lab):
    lab.equal("devices", rdma.devices(), ["rxe1", "rxe2"])
