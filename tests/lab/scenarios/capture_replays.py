"""A capture made on a live host replays as that host, with other names."""

from rdmalab import shell
from rdmalab.cli import rdmadiag, rdmadiag_until
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=1, siw=1)


def run(lab):
    archive = shell.SCRATCH / "host.tar.gz"
    rdmadiag_until(lab, lambda a: a.status == 0, "status")
    made = rdmadiag(lab, "capture", "--keep-identifiers", "--qps", archive)
    lab.require("captured", made.status == 0, made)
    for command in (["devices"], ["gids"], ["qps"]):
        live = rdmadiag(lab, *command)
        replayed = rdmadiag(lab, *command, "--path.sysfs", archive)
        lab.equal(f"{command[0]} replays", (replayed.status, replayed.out), (live.status, live.out))
    hidden = rdmadiag(lab, "capture", archive)
    lab.equal("names replaced", hidden.status, 0)
    replayed = rdmadiag(lab, "devices", "--path.sysfs", archive)
    lab.check(
        "and it replays too",
        replayed.status == 0 and "rdma1" in replayed.out and "rxe1" not in replayed.out,
        replayed,
    )
