"""`rdmadiag bench` between two hosts: the end that is asked as a process, the end that measures as a command."""

import contextlib
import itertools
import json
import urllib.error
import urllib.request

from .cli import rdmadiag
from .shell import CommandError, Process
from .wait import wait_until

_ports = itertools.count(19500)


class Server:
    """`rdmadiag bench --server` of one host, listening when the constructor returns."""

    def __init__(self, host):
        port = next(_ports)
        self.address = f"127.0.0.1:{port}"
        self.process = Process(
            f"bench-{host.name}-{port}",
            host.lab.binaries / "rdmadiag",
            "bench", "--server", "--device", host.device, "--listen", self.address,
        )
        if not wait_until(lambda: "waiting on" in self.process.log(), 30):
            raise CommandError(f"bench --server does not listen\n{self.process.log()}")


@contextlib.contextmanager
def serving(host):
    server = Server(host)
    try:
        yield server
    finally:
        if server.process.running():
            server.process.kill()


def arguments(client, server, *more):
    return ["bench", server.address, "--device", client.device, *more]


def bench(client, server, *more, timeout=90):
    """An Answer; with --json among the arguments its json() is the run."""
    return rdmadiag(client.lab, *arguments(client, server, *more), timeout=timeout)
