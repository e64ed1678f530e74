"""How qemu runs the guest: KVM where it really works, emulation anywhere else.

/dev/kvm may exist and still not run an ordinary kernel (nested or paravirtual hosts), so a guest is
booted once to see; the answer is kept until the next boot of the host. RDMADIAG_LAB_ACCEL forces one.
"""

import os
import pathlib

from . import paths
from .guest import Guest, GuestError

TCG = "tcg,thread=multi"
BOOT_SECONDS = 15  # KVM needs two


def choose(kernel: str) -> str:
    forced = os.environ.get("RDMADIAG_LAB_ACCEL")
    if forced:
        return TCG if forced == "tcg" else forced
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return TCG
    boot_id = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    answer = paths.STATE / "accel"
    known = answer.read_text().split() if answer.exists() else []
    if known[:1] != [boot_id]:
        known = [boot_id, "kvm" if _boots(kernel) else TCG]
        answer.write_text(" ".join(known) + "\n")
    return known[1]


def _boots(kernel: str) -> bool:
    try:
        with Guest(kernel, "kvm", {"mode": "probe"}) as guest:
            event = guest.next_event(BOOT_SECONDS)
            return event is not None and event["event"] == "boot"
    except GuestError:
        return False
