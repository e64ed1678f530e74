"""A daemon that starts before there is any RDMA device: healthy, and it finds the one that comes."""

from rdmalab.daemon import Daemon
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2)


def run(lab):
    host, other = lab.hosts
    host.remove_device()
    other.remove_device()
    # Listed often: that the kernel tells of a new device is another matter.
    config = {"collect": {"rescan_interval": "2s"}}
    with Daemon(host, config, devices=".*", expect_devices=False) as daemon:
        lab.equal("healthy", daemon.get("/-/healthy").status, 200)
        lab.equal("ready", daemon.get("/-/ready").status, 200)
        before = daemon.scrape()
        lab.equal("no device, which is a number too", before.value("rdma_devices"), 0)
        lab.equal("and nothing of one", before.samples("rdma_device_info"), [])
        lab.equal("the page is there", daemon.get("/").status, 200)
        host.add_device()
        lab.eventually("the first is seen", lambda: daemon.value("rdma_devices") == 1, 10)
        host.await_active()
        lab.eventually(
            "its port is up",
            lambda: daemon.value("rdma_port_state", device=host.device) == 4,
            10,
        )
        other.add_device()
        lab.eventually("and the second", lambda: daemon.value("rdma_devices") == 2, 10)
        log = daemon.process.log()
        lab.check("no device was no error", "level=error" not in log, log[-1500:])
