"""What the guest writes stays in the guest."""

import pathlib

from rdmalab.topology import Bare

TOPOLOGY = Bare()


def run(lab):
    marker = lab.repo / "build" / "lab" / "selftest-marker"
    marker.write_text("written in the guest")
    lab.equal("the guest sees what it wrote", marker.read_text(), "written in the guest")
    share = [
        line
        for line in pathlib.Path("/proc/1/mounts").read_text().splitlines()
        if line.split()[2] == "9p"
    ]
    lab.check(
        "the host's files are mounted read-only",
        len(share) == 1 and share[0].split()[3].startswith("ro,"),
        share,
    )
