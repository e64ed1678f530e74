# Steps of scripts/test: run each, remember what failed, and count what really ran.

failed_steps=()

run_step() {  # NAME COMMAND…
  local name=$1 started=$SECONDS
  shift
  printf '== %s\n' "$name"
  if "$@"; then
    printf '== %s: done in %d s\n' "$name" $((SECONDS - started))
  else
    failed_steps+=("$name")
    printf '== %s: FAILED after %d s\n' "$name" $((SECONDS - started))
  fi
}

# Reads the JUnit files of the steps; prints a line each and the total. A skipped or disabled test
# is a failure here: what is not run is not known to work.
summarise() {  # RESULTS_DIR
  python3 - "$1" "${failed_steps[@]}" <<'PYTHON'
import pathlib, re, sys
import xml.etree.ElementTree as ET

total = {"passed": 0, "failed": 0, "skipped": 0}

def cases(case, failed):
    """How many cases passed and failed: a file's of a test program, as Catch2 says at its end; one of anything else."""
    text = case.findtext("system-out") or ""
    if failed:
        said = re.search(r"^test cases: *\d+(?: \| *(\d+) passed)? \| *(\d+) failed", text, re.M)
        return (int(said[1] or 0), int(said[2])) if said else (0, 1)
    said = re.search(r"assertions? in (\d+) test case|^test cases: *(\d+) \| *\2 passed", text, re.M)
    return (int(said[1] or said[2]) if said else 1), 0

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.xml")):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in ET.parse(path).iter("testcase"):
        is_bad = case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail"
        if is_bad:
            print(f"failed: {path.stem}: {case.get('name')}")
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            counts["skipped"] += 1
            print(f"skipped: {path.stem}: {case.get('name')}")
            continue
        passed, failed = cases(case, is_bad)
        counts["passed"] += passed
        counts["failed"] += failed
    print(f"{path.stem}: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    for key in total:
        total[key] += counts[key]
steps = sys.argv[2:]
if steps:
    print("steps that failed: " + " ".join(steps))
print(f"{total['passed']} passed, {total['failed'] + len(steps)} failed, {total['skipped']} skipped")
sys.exit(1 if steps or total["failed"] or total["skipped"] or not total["passed"] else 0)
PYTHON
}
