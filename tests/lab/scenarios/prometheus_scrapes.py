"""A real Prometheus scrapes two daemons and answers: up, a packet rate, a join with the device's info, a vanished target."""

from rdmalab import perftest, rdma
from rdmalab.daemon import Daemon
from rdmalab.prometheus import Prometheus
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2)
QUICK = True
TIMEOUT = 240


def run(lab):
    client, server = lab.hosts
    with Daemon(client) as one, Daemon(server) as two:
        prometheus = Prometheus([f"127.0.0.1:{d.host.http_port}" for d in (one, two)])
        lab.eventually("both targets are up", lambda: prometheus.value("sum(up)") == 2, 60)
        lab.equal("no scrape error", [t["lastError"] for t in prometheus.targets()], ["", ""])
        lab.equal("nothing was refused or doubled", _odd_samples(prometheus), 0)
        perftest.traffic(client, server, "ib_send_bw", 4096, 200)
        sent = rdma.statistic(client)["sent_pkts"]
        query = f'rdma_tx_packets_total{{device="{client.device}"}}'
        lab.eventually("the counter arrives", lambda: prometheus.value(query) == sent, 30)
        lab.eventually(
            "a rate comes of it", lambda: (prometheus.value(f"rate({query}[2m])") or 0) > 0, 30
        )
        joined = prometheus.query(
            f"{query} * on (instance, device) group_left (node_guid) rdma_device_info"
        )
        lab.equal(
            "a join with the device's info",
            [row[0].get("node_guid") for row in joined],
            [rdma.devinfo(client)["node_guid"]],
        )
        lab.equal("two devices in all", prometheus.value("sum(rdma_devices)"), 2)
        two.stop()
        lab.eventually(
            "a daemon that stopped is seen down", lambda: prometheus.value("sum(up)") == 1, 60
        )


def _odd_samples(prometheus):
    scraped = prometheus.value("sum(scrape_samples_scraped)")
    kept = prometheus.value("sum(scrape_samples_post_metric_relabeling)")
    return None if scraped is None or scraped == 0 else scraped - kept
