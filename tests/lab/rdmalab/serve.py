"""A fabric for people: four soft-RoCE hosts with a daemon each that probe each other, until the host says stop. For scripts/run.

"lossy" of the plan is the number of a host that does not get all that it is sent.
"""

import contextlib
import pathlib
import shutil

from . import fault, mesh
from .daemon import Daemon
from .lab import Lab
from .shell import SCRATCH, run
from .topology import Flat

GUEST_ADDRESS = "10.0.2.15/24"  # qemu's user networking
LOSS = "loss 20%"


def serve(plan: dict, port) -> None:
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir()
    run("modprobe", "virtio_net")
    run("ip", "-batch", "-", stdin=f"link set eth0 up\naddr add {GUEST_ADDRESS} dev eth0\n")
    fabric = Flat(rxe=plan["hosts"])
    daemons: list[Daemon] = []
    try:
        fabric.up()
        lab = Lab(fabric, port.send, pathlib.Path(plan["binaries"]), pathlib.Path(plan["repo"]))
        mesh.write_peers(lab.hosts)
        mesh.write_key()
        for host in lab.hosts:
            config = mesh.config(host) | plan["config"]
            daemons.append(Daemon(host, listen="0.0.0.0", config=config))
            port.send(
                {"event": "up", "host": host.name, "device": host.device, "port": host.http_port}
            )
        with contextlib.ExitStack() as stack:
            if lossy := plan.get("lossy"):
                stack.enter_context(fault.impaired(lab.hosts[lossy - 1], LOSS, fault.IN))
            port.send({"event": "ready"})
            port.receive()
    except Exception as error:
        port.send({"event": "failed", "error": str(error)})
    for daemon in daemons:
        if daemon.process.running():
            port.send({"event": "stopped", "host": daemon.host.name, "status": daemon.stop()})
