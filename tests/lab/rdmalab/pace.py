"""How much slower than usual this machine is, so that time-outs mean the same on a busy one.

Measured once, by how long the guest took to boot; every time-out of the lab is stretched by it.
"""

import pathlib

IDLE_BOOT_SECONDS = 5  # under emulation on two idle cores
MOST = 6.0  # beyond that, what hangs should be told from what is slow

_stretch = 1.0


def measure() -> float:
    """Sets the pace by the time since boot; called when the guest has just come up."""
    uptime = float(pathlib.Path("/proc/uptime").read_text().split()[0])
    return set_stretch(uptime / IDLE_BOOT_SECONDS)


def set_stretch(factor: float) -> float:
    global _stretch
    _stretch = min(max(factor, 1.0), MOST)
    return _stretch


def stretched(seconds: float) -> float:
    """A time-out written for an idle machine, as it has to be on this one."""
    return seconds * _stretch
