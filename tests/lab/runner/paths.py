"""Where things are. RDMADIAG_PRESET says which build is tested (default: release, else dev), or RDMADIAG_BIN_DIR
its folder."""

import os
import pathlib

LAB = pathlib.Path(__file__).resolve().parent.parent
REPO = LAB.parent.parent
STATE = REPO / "build" / "lab"


def kernel(series: str) -> pathlib.Path:
    return STATE / f"kernel-{series}"


def binaries() -> pathlib.Path:
    if os.environ.get("RDMADIAG_BIN_DIR"):
        return pathlib.Path(os.environ["RDMADIAG_BIN_DIR"]).resolve()
    preset = os.environ.get("RDMADIAG_PRESET")
    if not preset:
        release = REPO / "build" / "release" / "bin"
        preset = "release" if (release / "rdmadiagd").exists() else "dev"
    return REPO / "build" / preset / "bin"
