"""The programs that are compared: started on a tree, found by the address they announce, watched from outside."""

import pathlib
import re
import subprocess
import threading
import time

PATIENCE_SECONDS = 60


class Failed(Exception):
    pass


class Program:
    """One running program; `address` is where it serves /metrics."""

    def __init__(self, argv: list, announced: str, ready: str = ""):
        self._log: list[str] = []
        self._seen = threading.Condition()
        self.started = time.monotonic()
        try:
            self._process = subprocess.Popen([str(word) for word in argv], stderr=subprocess.PIPE,
                                             stdout=subprocess.DEVNULL, text=True)
        except OSError as error:
            raise Failed(f"cannot start {argv[0]}: {error.strerror}") from error
        threading.Thread(target=self._follow, daemon=True).start()
        self.address = self._await(announced)
        if ready:
            self._await(ready)

    def _follow(self) -> None:
        for line in self._process.stderr:
            with self._seen:
                self._log.append(line)
                self._seen.notify_all()
        with self._seen:
            self._log.append("")
            self._seen.notify_all()

    def _await(self, pattern: str) -> str:
        def find():
            found = next((match for line in self._log if (match := re.search(pattern, line))), None)
            return found or (self._log and self._log[-1] == "")
        with self._seen:
            found = self._seen.wait_for(find, PATIENCE_SECONDS)
        if not found or found is True:
            self.stop()
            raise Failed(f"{self._process.args[0]} did not say {pattern!r}:\n{''.join(self._log)}")
        return found.group(found.re.groups and 1)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()

    def cpu_seconds(self) -> float:
        """User and system time of all its threads, also of those that have ended, to the nanosecond."""
        return time.clock_gettime((~self._process.pid << 3) | 2)  # CPUCLOCK_SCHED of that process

    def memory(self) -> dict:
        """Resident memory in bytes: all of it, and the part that is no file's."""
        status = pathlib.Path(f"/proc/{self._process.pid}/status").read_text()
        fields = dict(re.findall(r"^(\w+):\s+(\d+) kB$", status, re.MULTILINE))
        return {"rss_bytes": int(fields["VmRSS"]) * 1024, "anonymous_bytes": int(fields["RssAnon"]) * 1024}


def daemon(binary: pathlib.Path, root: pathlib.Path) -> Program:
    """Ours, with the shortest interval between two reads that it takes."""
    config = root / "rdmadiag.yaml"
    config.write_text("collect: {min_interval: 10ms}\n")
    (root / "proc").mkdir(exist_ok=True)
    return Program([binary, f"--path.sysfs={root / 'sys'}", f"--path.procfs={root / 'proc'}",
                    f"--config.file={config}", "--web.listen-address=127.0.0.1:0"],
                   announced=r"address=(\S+) .*msg=listening", ready="msg=watching")


def node_exporter(binary: str, root: pathlib.Path) -> Program:
    """Debian's, with nothing but what it knows of InfiniBand."""
    return Program([binary, "--collector.disable-defaults", "--collector.infiniband",
                    "--web.disable-exporter-metrics", f"--path.sysfs={root / 'sys'}",
                    "--web.listen-address=127.0.0.1:0"],
                   announced=r"address=(127\S+)")


