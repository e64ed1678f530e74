"""The lab itself: perftest between two soft-RoCE hosts goes over their veths and is counted on them alone."""

import pathlib

from rdmalab import perftest, rdma
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=3)
COUNT = 200
SIZE = 4096
PACKETS = COUNT * SIZE // 1024  # the path MTU is 1024
HEADERS = 14 + 20 + 8 + 12 + 4  # Ethernet, IPv4, UDP, BTH, ICRC


def _sent_bytes(netdev):
    return int(pathlib.Path(f"/sys/class/net/{netdev}/statistics/tx_bytes").read_text())


def run(lab):
    client, server, bystander = lab.hosts
    wire_before = _sent_bytes(client.netdev)
    perftest.traffic(client, server, "ib_send_bw", SIZE, COUNT)
    sent, received = rdma.statistic(client), rdma.statistic(server)
    lab.check("the client sent every packet", sent["sent_pkts"] >= PACKETS, sent)
    lab.equal("the server received what the client sent", received["rcvd_pkts"], sent["sent_pkts"])
    lab.equal("the client received what the server sent", sent["rcvd_pkts"], received["sent_pkts"])
    lab.equal("messages as asked", (sent["rdma_sends"], received["rdma_recvs"]), (COUNT, COUNT))
    lab.check(
        "no traffic elsewhere",
        not any(rdma.statistic(bystander).values()),
        rdma.statistic(bystander),
    )
    wire = _sent_bytes(client.netdev) - wire_before
    lab.check(
        "the bytes left through the client's own interface",
        wire >= PACKETS * (1024 + HEADERS),
        wire,
    )
    lab.equal("netlink and sysfs agree", rdma.hw_counters(client), rdma.statistic(client))

    for transport in ("UD", "UC"):
        perftest.traffic(client, server, "ib_send_lat", 64, 50, "-c", transport, "-e")
        now = rdma.statistic(server)
        lab.between(f"{transport} arrives", now["rcvd_pkts"] - received["rcvd_pkts"], 50, 60)
        received = now
