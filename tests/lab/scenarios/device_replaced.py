"""A device deleted and made again under a running daemon: gone, then back with new counters, the daemon unharmed."""

import pathlib
import time

from rdmalab import fault, perftest, rdma
from rdmalab.daemon import Daemon
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2)
QUICK = True


def _descriptors(daemon):
    return len(list(pathlib.Path(f"/proc/{daemon.process.pid}/fd").iterdir()))


def run(lab):
    host, peer = lab.hosts
    packets = "rdma_tx_packets_total"
    perftest.traffic(host, peer)
    with Daemon(host) as daemon:
        before = daemon.scrape()
        lab.check("it is there", (before.value(packets, device=host.device) or 0) >= 200)
        guid = before.labels("rdma_device_info", device=host.device).get("node_guid")
        open_before = _descriptors(daemon)

        started = time.monotonic()
        with fault.device_removed(host):
            lab.note("rdma link delete took, seconds", round(time.monotonic() - started, 2))
            lab.eventually("the daemon sees it go", lambda: daemon.value("rdma_devices") == 0, 15)
            gone = daemon.scrape()
            lab.equal(
                "it is shown as not present",
                gone.value("rdma_device_present", device=host.device),
                0,
            )
            lab.equal("its counters are absent", gone.samples(packets), [])
            lab.equal(
                "a dead port has no rate", gone.samples("rdma_port_rate_bytes_per_second"), []
            )
            lab.equal("still healthy", daemon.get("/-/healthy").status, 200)
        lab.eventually(
            "the daemon sees it come back", lambda: daemon.value("rdma_devices") == 1, 45
        )
        back = daemon.scrape()
        lab.equal("present", back.value("rdma_device_present", device=host.device), 1)
        lab.equal("its counters are the new device's", back.value(packets, device=host.device), 0)
        lab.equal(
            "same GUID", back.labels("rdma_device_info", device=host.device).get("node_guid"), guid
        )

        perftest.traffic(host, peer)
        lab.eventually(
            "and they count",
            lambda: daemon.value(packets, device=host.device)
            == rdma.statistic(host)["sent_pkts"]
            > 0,
            10,
        )
        for _ in range(5):
            with fault.device_removed(host):
                daemon.scrape()
            daemon.scrape()
        lab.eventually("back after five more times", lambda: daemon.value("rdma_devices") == 1, 45)
        lab.equal("no descriptor gained", _descriptors(daemon), open_before)
