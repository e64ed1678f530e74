"""iWARP without any counters beside soft-RoCE: one daemon shows both for what they are, and stays healthy."""

from rdmalab import perftest, rdma
from rdmalab.daemon import Daemon
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2, siw=2)
QUICK = True


def run(lab):
    roce, peer, iwarp, other = lab.hosts
    perftest.traffic(roce, peer)
    perftest.traffic(iwarp, other)
    with Daemon(roce, devices=".*") as daemon:
        metrics = daemon.scrape()
        lab.equal("all devices", metrics.value("rdma_devices"), 4)
        for host in (iwarp, other):
            info = metrics.labels("rdma_device_info", device=host.device)
            lab.equal(f"{host.device} is iWARP", info.get("protocol"), "iwarp")
            lab.equal(f"{host.device} is up", metrics.value("rdma_port_up", device=host.device), 1)
            lab.equal(
                f"{host.device} has its interface",
                metrics.labels("rdma_port_info", device=host.device).get("netdev"),
                host.netdev,
            )
            lab.equal(
                f"{host.device} has no packet counters",
                metrics.samples("rdma_tx_packets_total", device=host.device),
                [],
            )
        for host in (roce, peer):
            lab.equal(
                f"{host.device} is RoCE",
                metrics.labels("rdma_device_info", device=host.device).get("protocol"),
                "roce",
            )
            said = float(rdma.statistic(host)["sent_pkts"])
            lab.equal(
                f"{host.device} counts",
                metrics.value("rdma_tx_packets_total", device=host.device),
                said,
            )
        lab.equal("healthy", daemon.get("/-/healthy").status, 200)
