"""What the system's own tools and files say about a host's RDMA device: the truth to compare with."""

import re

from .shell import run, run_json


def devices() -> list[str]:
    return [d["ifname"] for d in run_json("rdma", "-j", "dev")]


def link(host) -> dict:
    return run_json("rdma", "-j", "link", "show", f"{host.device}/1")[0]


def statistic(host) -> dict[str, int]:
    """Counters by RDMA netlink. siw has none and answers EINVAL: CommandError then."""
    row = run_json("rdma", "-j", "statistic", "show", "link", f"{host.device}/1")[0]
    return {name: value for name, value in row.items() if name not in ("ifindex", "ifname", "port")}


def hw_counters(host) -> dict[str, int]:
    """Counters by sysfs; `lifespan` is no counter."""
    folder = host.sysfs("ports/1/hw_counters")
    return {f.name: int(f.read_text()) for f in folder.iterdir() if f.name != "lifespan"}


def resources(host) -> dict[str, int]:
    """How many qp, cq, mr, pd, cm_id, ctx and srq the device has."""
    row = run_json("rdma", "-j", "resource", "show", host.device)[0]
    return {name: value for name, value in row.items() if name not in ("ifindex", "ifname")}


def gids(host) -> list[tuple[int, str, str]]:
    """Index, GID and type ("RoCE v2") of every filled slot, from sysfs."""
    found = []
    for file in host.sysfs("ports/1/gids").iterdir():
        gid = file.read_text().strip()
        if gid != "0000:0000:0000:0000:0000:0000:0000:0000":
            kind = host.sysfs(f"ports/1/gid_attrs/types/{file.name}").read_text().strip()
            found.append((int(file.name), gid, kind))
    return sorted(found)


def devinfo(host) -> dict[str, str]:
    """`ibv_devinfo -v`: "state" is "PORT_ACTIVE (4)" and so on; of repeated words the last stands."""
    pairs = re.findall(
        r"^\s*([\w\[\] ]+?):\s+(.+?)\s*$", run("ibv_devinfo", "-v", "-d", host.device), re.MULTILINE
    )
    return dict(pairs)
