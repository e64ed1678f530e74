"""Traffic of a known size between two hosts moves their counters by that, and nobody else's."""

from rdmalab import perftest, rdma
from rdmalab.daemon import Daemon
from rdmalab.topology import Flat
from rdmalab.wait import wait_until

TOPOLOGY = Flat(rxe=3)
QUICK = True
COUNT = 300
PACKETS_EACH = 4  # 4096 bytes at a path MTU of 1024


def _traffic(daemon):
    """Packets and requests, sent and received, once a fresh read shows what netlink shows."""
    device = daemon.host.device
    names = [
        "rdma_tx_packets_total",
        "rdma_rx_packets_total",
        "rdma_tx_requests_total",
        "rdma_rx_requests_total",
    ]

    def fresh():
        metrics = daemon.scrape()
        got = [metrics.value(name, device=device, port="1") for name in names]
        said = rdma.statistic(daemon.host)
        want = [said[n] for n in ("sent_pkts", "rcvd_pkts", "rdma_sends", "rdma_recvs")]
        return got if got == want else None

    return wait_until(fresh, 10)


def run(lab):
    client, server, bystander = lab.hosts
    with Daemon(client) as one, Daemon(server) as two, Daemon(bystander) as three:
        before = [_traffic(d) for d in (one, two, three)]
        lab.require("daemons show what netlink shows", all(before), before)
        perftest.traffic(client, server, "ib_send_bw", 4096, COUNT)
        after = [_traffic(d) for d in (one, two, three)]
        lab.require("and again after the traffic", all(after), after)
    sender, receiver, idle = ([b - a for a, b in zip(*pair)] for pair in zip(before, after))
    lab.between("packets sent", sender[0], COUNT * PACKETS_EACH, COUNT * PACKETS_EACH * 1.1)
    lab.equal("all of them received", receiver[1], sender[0])
    lab.equal("acknowledgements received", sender[1], receiver[0])
    lab.equal("messages sent and received", (sender[2], receiver[3]), (COUNT, COUNT))
    lab.equal("nothing on the third host", idle, [0, 0, 0, 0])
