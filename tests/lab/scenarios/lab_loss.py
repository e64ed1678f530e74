"""The lab itself: 10 % loss towards one host makes its sender retransmit, and nobody else."""

from rdmalab import fault, perftest, rdma
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=4)
TIMEOUT = 180


def run(lab):
    sender, receiver, other, another = lab.hosts
    with fault.impaired(receiver, "loss 10%", fault.IN):
        perftest.traffic(sender, receiver, "ib_send_bw", 4096, 200)
        perftest.traffic(other, another, "ib_send_bw", 4096, 200)
    sent, received = rdma.statistic(sender), rdma.statistic(receiver)
    lab.note("sender", sent)
    lab.note("receiver", received)
    lab.check("the sender retries", sent["completer_retry_err"] > 0, sent)
    lab.check("the receiver sees gaps", received["out_of_seq_request"] > 0, received)
    lost = 1 - received["rcvd_pkts"] / sent["sent_pkts"]
    lab.between("a tenth of the packets is lost", lost, 0.05, 0.17)
    lab.equal("the way back loses nothing", sent["rcvd_pkts"], received["sent_pkts"])
    for host in (other, another):
        lab.equal(f"{host} saw no gap", rdma.statistic(host)["out_of_seq_request"], 0)

    before = sent["sent_pkts"]
    perftest.traffic(sender, receiver, "ib_send_bw", 1024, 100)
    after = rdma.statistic(sender)["sent_pkts"] - before
    lab.between("the fault is gone with its block", after, 100, 130)
