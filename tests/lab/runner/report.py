"""What came back, for people and for machines: lines on stdout, JSON, JUnit."""

import dataclasses
import json
import pathlib
import sys
import threading
import xml.etree.ElementTree as ET

_print_lock = threading.Lock()
COLOUR = sys.stdout.isatty()


def _paint(text: str, code: str) -> str:
    return f"\033[{code}m{text}\033[0m" if COLOUR else text


@dataclasses.dataclass
class Result:
    """How one scenario went. `error` says why it did not come to its end, if it did not."""

    name: str
    checks: list[dict] = dataclasses.field(default_factory=list)
    notes: list[dict] = dataclasses.field(default_factory=list)
    logs: list[dict] = dataclasses.field(default_factory=list)
    error: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return not self.error and bool(self.checks) and all(c["ok"] for c in self.checks)

    def why(self) -> str:
        """The reasons for a failure, one a line."""
        lines = [f"{c['name']}: {c['detail']}" for c in self.checks if not c["ok"]]
        if self.error:
            lines.append(self.error)
        if not self.checks and not self.error:
            lines.append("nothing was checked")
        return "\n".join(lines)


def _line(event: dict) -> str:
    """Of a check or a note."""
    if event["event"] == "note":
        return f"  note {event['name']}: {event['value']}"
    word = _paint("ok  ", "32") if event["ok"] else _paint("FAIL", "31")
    return f"  {word} {event['name']}" + (f"  ({event['detail']})" if event["detail"] else "")


def show_event(event: dict) -> None:
    """A check or a note as it comes, so that one sees where a long scenario is."""
    with _print_lock:
        print(_line(event), flush=True)


def show(result: Result, events: bool = True) -> None:
    """The result; without `events` those that show_event() has told."""
    lines = [_line(event) for event in [*result.checks, *result.notes]] if events else []
    if result.error or not result.checks:
        lines.append(
            "  "
            + _paint("FAIL", "31")
            + " "
            + (result.error or "nothing was checked").replace("\n", "\n       ")
        )
    if not result.passed:
        for log in result.logs:
            lines.append(f"  --- {log['name']}")
            lines += [f"  | {line}" for line in log["text"].splitlines()]
    word = _paint("passed", "32") if result.passed else _paint("FAILED", "31")
    lines.append(f"{word} {result.name}: {len(result.checks)} checks in {result.seconds:.1f} s")
    with _print_lock:
        print("\n".join(lines), flush=True)


def summary(results: list[Result]) -> int:
    """Prints the counts; returns the exit status."""
    failed = [r.name for r in results if not r.passed]
    checks = [c for r in results for c in r.checks]
    bad = sum(not c["ok"] for c in checks)
    print(f"checks: {len(checks) - bad} ok, {bad} failed")
    if failed:
        print("failed scenarios: " + " ".join(sorted(failed)))
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not results else 0


def write_json(path: pathlib.Path, results: list[Result]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [dataclasses.asdict(r) | {"passed": r.passed} for r in results]
    path.write_text(json.dumps({"scenarios": rows}, indent=1) + "\n")


def _legal(text: str) -> str:
    """XML 1.0 has no way to say control characters."""
    return "".join(c if c >= " " or c in "\n\t" else "?" for c in text)


def write_junit(path: pathlib.Path, results: list[Result]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    suite = ET.Element("testsuite", name="lab", tests=str(len(results)))
    for result in results:
        case = ET.SubElement(suite, "testcase", name=result.name, time=f"{result.seconds:.1f}")
        if not result.passed:
            ET.SubElement(case, "failure", message="failed").text = _legal(result.why())
        lines = [f"{'ok' if c['ok'] else 'FAIL'} {c['name']} {c['detail']}" for c in result.checks]
        ET.SubElement(case, "system-out").text = _legal("\n".join(lines))
    ET.ElementTree(suite).write(path, encoding="unicode", xml_declaration=True)
