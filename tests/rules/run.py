#!/usr/bin/env python3
"""Tests the alert and recording rules with promtool, from the table in cases.yml.

For every alert: the series that fire it, the series that do not, the same firing series from two
replicas (still one alert), and a reset or missing series (no alert). With --mutate it also breaks
each alert's expression, once so that it cannot fire and once so that it always fires, and demands
that the tests notice.
"""
import argparse
import concurrent.futures
import copy
import pathlib
import subprocess
import sys
import tempfile

import yaml

INTERVAL = "15s"


def load_rules(folder):
    files = {path.name: yaml.safe_load(path.read_text()) for path in sorted(folder.glob("*.yml"))}
    alerts, home = {}, {}
    for content in files.values():
        for group in content["groups"]:
            for rule in group["rules"]:
                if "alert" in rule:
                    alerts[rule["alert"]] = rule
                    home[rule["alert"]] = content
    return alerts, home


def with_replica(series, replica):
    head, brace, rest = series.partition("{")
    return f'{head}{{replica="{replica}",{rest}' if brace else f'{series}{{replica="{replica}"}}'


def promtool_test(series, alert, at, expected):
    return {
        "interval": INTERVAL,
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "alert_rule_test": [{"eval_time": at, "alertname": alert, "exp_alerts": expected}],
    }


def expand(alert, rule, case):
    """One row of the table as (what, promtool test) pairs."""
    severity = rule["labels"]["severity"]
    labels = [{**found, "severity": severity} for found in case["fires"]["labels"]]
    fires = [{"exp_labels": found} for found in labels]
    series, at = case["fires"]["series"], case["fires"]["at"]
    yield "fires", promtool_test(series, alert, at, fires)
    twice = {with_replica(n, r): v for n, v in series.items() for r in ("a", "b")}
    yield "fires once for two replicas", promtool_test(twice, alert, at, fires)
    for why, quiet in case["silent"].items():
        changed = quiet if quiet.pop("_only", False) else {**series, **quiet}
        yield f"silent: {why}", promtool_test(changed, alert, at, [])


def run_promtool(rule_files, tests):
    """Runs the tests against the rule files; returns promtool's verdict and output."""
    suite = {"rule_files": [str(path) for path in rule_files], "evaluation_interval": INTERVAL,
             "tests": tests}
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        yaml.safe_dump(suite, file)
        file.flush()
        done = subprocess.run(["promtool", "test", "rules", file.name], capture_output=True,
                              text=True, check=False)
    return done.returncode == 0, done.stdout + done.stderr


def write_rules(content, path):
    """Writes rules without annotations: promtool compares those too, the table states labels only."""
    content = copy.deepcopy(content)
    for group in content["groups"]:
        for rule in group["rules"]:
            rule.pop("annotations", None)
    path.write_text(yaml.safe_dump(content))
    return path


def mutated(content, alert, expression):
    content = copy.deepcopy(content)
    for group in content["groups"]:
        for rule in group["rules"]:
            if rule.get("alert") == alert:
                rule["expr"] = expression
                rule.pop("for", None)
    return content


def check_alert(alert, content, case, mutate):
    """Tests one alert in the file it stands in; returns how many tests ran, and the failures."""
    rule = next(r for g in content["groups"] for r in g["rules"] if r.get("alert") == alert)
    expanded = list(expand(alert, rule, copy.deepcopy(case)))
    tests = [test for _, test in expanded]
    failures = []
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / "rules.yml"
        write_rules(content, path)
        if not run_promtool([path], tests)[0]:
            for what, test in expanded:
                good, output = run_promtool([path], [test])
                if not good:
                    failures.append(f"{alert}: {what}\n{output}")
        if mutate:
            for what, expression in (("never", "vector(1) == 0"), ("always", "vector(1)")):
                write_rules(mutated(content, alert, expression), path)
                if run_promtool([path], tests)[0]:
                    failures.append(f"{alert}: its tests pass although it {what} fires")
    return len(tests) + (2 if mutate else 0), failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", type=pathlib.Path, required=True)
    parser.add_argument("--cases", type=pathlib.Path, required=True)
    parser.add_argument("--runbooks", type=pathlib.Path)
    parser.add_argument("--mutate", action="store_true")
    args = parser.parse_args()

    alerts, home = load_rules(args.rules)
    cases = yaml.safe_load(args.cases.read_text())
    failures, ran = [], 0

    for alert in sorted(set(alerts) ^ set(cases)):
        failures.append(f"{alert}: in the rules or in the table, not in both")
    for alert, rule in alerts.items():
        url = rule.get("annotations", {}).get("runbook_url", "")
        if rule["labels"].get("severity") not in ("page", "warn", "info"):
            failures.append(f"{alert}: severity is not page, warn or info")
        if args.runbooks and not (args.runbooks / url.rsplit("/", 1)[-1]).is_file():
            failures.append(f"{alert}: no runbook for {url!r}")

    with concurrent.futures.ThreadPoolExecutor() as pool:
        checks = [pool.submit(check_alert, alert, home[alert], cases[alert], args.mutate)
                  for alert in sorted(set(alerts) & set(cases))]
        for check in checks:
            count, failed = check.result()
            ran += count
            failures += failed

    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{ran - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
