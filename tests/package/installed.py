#!/usr/bin/python3 -B
"""Installs the built package under a real systemd, uses it, upgrades it, removes and purges it.

installed.py PACKAGE.deb CACHE_FOLDER [JUNIT_FILE]
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from xml.sax.saxutils import quoteattr

import container

UNIT = "rdmadiagd.service"
URL = "http://127.0.0.1:10915"
CONFIG = "/etc/rdmadiag/rdmadiag.yaml"
DEFAULTS = "/etc/default/rdmadiagd"
OURS = "labels: {leaf: leaf-of-ours}\n"
PROMETHEUS = "/usr/local/bin/prometheus"  # this machine's own, copied: it needs nothing but libc
SECONDS = 60
results: list[tuple[str, bool]] = []


def check(name: str, ok: bool, detail: object = "") -> None:
    results.append((name, bool(ok)))
    print(f"{'ok  ' if ok else 'FAIL'} {name}" + ("" if ok else f"\n{detail}"), flush=True)


def dependencies(deb: pathlib.Path) -> list[str]:
    """The first alternative of each, without its version."""
    depends = subprocess.check_output(["dpkg-deb", "-f", deb, "Depends"], text=True)
    return [re.split(r"[ (|:]", part.strip())[0] for part in depends.split(",")]


def newer(deb: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """The same package as a later version."""
    tree = folder / "newer"
    subprocess.run(["dpkg-deb", "--raw-extract", deb, tree], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*", r"\g<0>+later", control.read_text()))
    later = folder / "later.deb"
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", tree, later], check=True, stdout=subprocess.DEVNULL)
    return later


def files(host) -> set[str]:
    """Everything a package could leave behind."""
    kept = "-path /var/lib/dpkg -prune -o -path /var/lib/systemd -prune -o -path /var/cache -prune -o -path /var/log -prune"
    found = host.run("sh", "-c", f"find /etc /usr /var /opt /srv {kept} -o -print").stdout
    # Rewritten by whatever adds or removes a user.
    return {path for path in found.splitlines() if not re.match(r"/etc/(passwd|group|shadow|gshadow|sub[ug]id)-?$", path)}


def main_pid(host) -> str:
    return host.says("systemctl", "show", "--property=MainPID", "--value", UNIT)


def answers(host) -> bool:
    return host.run("curl", "--silent", "--fail", f"{URL}/-/ready", check=False).returncode == 0


def install(host) -> None:
    started = time.monotonic()
    host.run("dpkg", "--install", "/package.deb")
    check("active when installed", host.says("systemctl", "is-active", UNIT) == "active", host.says("systemctl", "status", UNIT))
    check("enabled", host.says("systemctl", "is-enabled", UNIT) == "enabled")
    check("answers", host.until(lambda: answers(host), SECONDS), host.says("journalctl", "--unit", UNIT))
    metrics = host.says("curl", "--silent", f"{URL}/metrics")
    check("scraped", "\nrdma_devices " in metrics and "\nrdmadiag_build_info{" in metrics, metrics[:2000])
    print(f"note installed and scraped within {time.monotonic() - started:.1f} s")
    pid = main_pid(host)
    user = host.says("stat", "--format=%U", f"/proc/{pid}")
    check("runs as its own user", user == "rdmadiag", user)
    capabilities = re.findall(r"(?m)^Cap(?:Eff|Prm|Bnd):\s*(\w+)", host.says("cat", f"/proc/{pid}/status"))
    check("without any capability", [int(c, 16) for c in capabilities] == [0, 0, 0], capabilities)
    check("the tool is there", "rdmadiag" in host.says("rdmadiag", "--version"), host.says("rdmadiag", "--version"))


def example(host) -> None:
    """The newcomer's next step: Prometheus with the configuration that the package brings."""
    started = time.monotonic()
    config = "/usr/share/doc/rdmadiag/examples/prometheus/prometheus.yml"
    host.run("systemd-run", "--unit=prometheus", PROMETHEUS, f"--config.file={config}", "--storage.tsdb.path=/run/prometheus")
    ask = ["curl", "--silent", "--get", "http://127.0.0.1:9090/api/v1/query", "--data-urlencode"]
    scraped = host.until(lambda: '"value":[' in host.says(*ask, 'query=up{job="rdmadiag"} == 1'), SECONDS)
    check("Prometheus scrapes by the example", scraped, host.says("journalctl", "--unit=prometheus", "--lines=30"))
    print(f"note Prometheus started and scraping within {time.monotonic() - started:.1f} s")
    rules = host.says("curl", "--silent", "http://127.0.0.1:9090/api/v1/rules")
    check("and has the alerts", '"RdmaLinkDown"' in rules and '"health":"err"' not in rules, rules[:2000])
    host.run("systemctl", "stop", "prometheus")


def confinement(host) -> None:
    said = host.run("systemd-analyze", "--no-pager", "--man=no", "verify", UNIT, check=False)
    ours = [line for line in said.stdout.splitlines() if "rdmadiag" in line]
    check("systemd-analyze verify", said.returncode == 0 and not ours, said.stdout)
    said = host.run("systemd-analyze", "--no-pager", "security", "--threshold=20", UNIT, check=False)
    check("systemd-analyze security is at most 2.0", said.returncode == 0, said.stdout)


def settings(host) -> None:
    host.run("sh", "-c", f"printf '%s' '{OURS}' > {CONFIG}; echo 'RDMADIAGD_OPTIONS=--log.level=debug' > {DEFAULTS}")
    before = main_pid(host)
    host.run("systemctl", "reload", UNIT)
    metrics = lambda: host.says("curl", "--silent", f"{URL}/metrics")  # noqa: E731
    check("reload takes our settings", host.until(lambda: "rdmadiag_config_last_reload_successful 1" in metrics(), SECONDS))
    check("in the same process", main_pid(host) == before and before != "0")


def upgrade(host) -> None:
    before = main_pid(host)
    host.run("dpkg", "--install", "/later.deb")
    check("upgrade asks nothing and restarts it", main_pid(host) not in (before, "0"), main_pid(host))
    check("answers after the upgrade", host.until(lambda: answers(host), SECONDS))
    check("our settings are kept", host.says("cat", CONFIG) == OURS.strip() and "debug" in host.says("cat", DEFAULTS))
    line = host.says("sh", "-c", f"tr '\\0' ' ' < /proc/{main_pid(host)}/cmdline")
    check("and used", "--log.level=debug" in line, line)
    wrong = host.says("journalctl", "--unit", UNIT, "--priority=warning", "--output=cat", "--quiet")
    check("the journal has no warning", wrong == "", wrong)


def removal(host, before: set[str]) -> None:
    host.run("dpkg", "--remove", "rdmadiag")
    check("removed: stopped", not answers(host) and host.says("systemctl", "is-active", UNIT) != "active")
    check("removed: settings stay", host.says("cat", CONFIG) == OURS.strip())
    host.run("dpkg", "--purge", "rdmadiag")
    left = files(host) - before
    check("purged: no file is left", not left, "\n".join(sorted(left)))
    check("purged: nor its user", host.run("getent", "passwd", "rdmadiag", check=False).returncode != 0)
    failed = host.says("systemctl", "--failed", "--plain", "--no-legend", "--all")
    check("purged: nor a failed unit", "rdmadiag" not in failed, failed)


def main() -> int:
    deb, cache = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    if why := container.usable():
        check("a container can be run here", False, why)
    else:
        with tempfile.TemporaryDirectory() as scratch, container.booted(container.base_root(cache, dependencies(deb))) as host:
            shutil.copy(deb, host.root / "package.deb")
            shutil.copy(newer(deb, pathlib.Path(scratch)), host.root / "later.deb")
            shutil.copy("/usr/bin/prometheus", host.root / PROMETHEUS.lstrip("/"))
            before = files(host)
            for step in (install, example, confinement, settings, upgrade):
                step(host)
            removal(host, before)
    if len(sys.argv) > 3:
        cases = "".join(f'  <testcase name={quoteattr(name)} status="{"run" if ok else "fail"}"/>\n' for name, ok in results)
        pathlib.Path(sys.argv[3]).write_text(f'<testsuite name="package-installed">\n{cases}</testsuite>\n')
    return 0 if results and all(ok for _name, ok in results) else 1


if __name__ == "__main__":
    sys.exit(main())
