"""Runs a benchmark several times: the median and spread of each figure, or its ratio to that of another commit.

    ./assay bench --runs 10 ctc --benchmark_filter=C=28
    ./assay bench --against HEAD~5 ctc

A benchmark prints Markdown tables; so does this. The runs of two commits alternate, so that both meet the same load.
What other programs took of the processors meanwhile is printed below.
"""

import argparse
import io
import os
import re
import resource
import statistics
import subprocess
import sys
import tarfile
import time
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def number(cell):
    """The number in a cell, or None."""
    try:
        return float(cell)
    except ValueError:
        return None


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def is_ruler(line):
    return re.fullmatch(r"[|\s:-]+", line) is not None and "-" in line


def output(program, arguments):
    """What a benchmark prints, as lines."""
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"bench: {program} exited with {done.returncode}: its own words are above")
    return done.stdout.splitlines()


def require_same_rows(runs):
    names = [[cells(line)[0] for line in lines if line.startswith("|")] for lines in runs]
    for other in names[1:]:
        if other != names[0]:
            differ = sorted(set(names[0]) ^ set(other)) or ["their order"]
            sys.exit(f"bench: two runs print different rows: {', '.join(differ)}; choose rows that both have")
    if not names[0]:
        sys.exit("bench: the benchmark printed no table: nothing to compare; it may have its own options")


def with_spread(values):
    """The median, and how far the furthest value is from it, in percent of it."""
    middle = statistics.median(values)
    if not middle:
        return f"{middle:g}"
    return f"{middle:.3g} ±{100 * max(abs(x - middle) for x in values) / abs(middle):.0f} %"


def merged(runs, against=None):
    """The lines of the first run, each number replaced: by its median and spread, or by its ratio to the other's."""
    require_same_rows(runs + (against or []))
    rows = [[line for line in lines if line.startswith("|")] for lines in runs]
    others = [[line for line in lines if line.startswith("|")] for lines in against or []]
    at = 0
    for line in runs[0]:
        if not line.startswith("|"):
            yield line
            continue
        if is_ruler(line) or all(number(cell) is None for cell in cells(line)[1:]):
            yield line
        else:
            mine = [cells(lines[at]) for lines in rows]
            theirs = [cells(lines[at]) for lines in others]
            yield "| " + " | ".join([mine[0][0], *(column(mine, theirs, i) for i in range(1, len(mine[0])))]) + " |"
        at += 1


def column(mine, theirs, i):
    values = [number(row[i]) for row in mine]
    if None in values:
        return mine[0][i]
    if not theirs:
        return with_spread(values) if len(set(values)) > 1 else mine[0][i]
    base = [number(row[i]) if i < len(row) else None for row in theirs]
    return "" if None in base or 0 in base else with_spread([x / y for x, y in zip(values, base)])


def busy_seconds():
    """Processor time that all programs have taken since the machine's start; None where Linux's /proc is not."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    user, nice, system, _, _, interrupts, soft = map(int, fields[:7])
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def built_at(commit, name):
    """The benchmark of another commit, built from its files in build/against."""
    found = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", f"{commit}^{{commit}}"], capture_output=True, text=True)
    if found.returncode:
        sys.exit(f"bench: --against {commit}: expected a commit of this repository")
    folder = ROOT / "build" / "against" / found.stdout.strip()
    source, build = folder / "source", folder / "build"
    if not source.exists():
        packed = subprocess.run(["git", "-C", ROOT, "archive", found.stdout.strip()], check=True, stdout=subprocess.PIPE).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as files:
            files.extractall(source)
    switches = [f"-DASSAY_BUILD_{part}=OFF" for part in ("TESTS", "PYTHON", "PAGES")] + ["-DASSAY_BUILD_BENCH=ON"]
    log = folder / "build.log"
    print(f"bench: building bench_{name} of {found.stdout.strip()} (log: {log})", file=sys.stderr)
    with log.open("w") as file:
        for command in (["cmake", "--preset", "release", "-B", build, *switches], ["ninja", "-C", build, f"bench_{name}"]):
            if subprocess.run(command, cwd=source, stdout=file, stderr=subprocess.STDOUT).returncode:
                sys.exit(f"bench: that commit's bench_{name} could not be built: {log} says why")
    return build / "bench" / f"bench_{name}"


def main():
    parser = argparse.ArgumentParser(prog="./assay bench", description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=10, help="how often the benchmark runs: 10")
    parser.add_argument("--against", metavar="COMMIT", help="print ratios to that commit's figures: below 1, a time is shorter here")
    parser.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("name", help="a benchmark; ./assay bench lists them")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the benchmark itself is given")
    given = parser.parse_args()
    if given.runs < 2:
        parser.error(f"--runs {given.runs}: expected at least 2, since one run has no spread")
    program = given.build / "bench" / f"bench_{given.name}"
    if not program.exists():
        parser.error(f"no benchmark is called '{given.name}'; ./assay bench lists them")
    other = built_at(given.against, given.name) if given.against else None

    busy, own, start = busy_seconds(), own_seconds(), time.monotonic()
    runs, against = [], []
    for i in range(given.runs):
        print(f"\rbench: run {i + 1} of {given.runs} ", end="", file=sys.stderr, flush=True)
        runs.append(output(program, given.arguments))
        if other:
            against.append(output(other, given.arguments))
    print("\r" + " " * 30 + "\r", end="", file=sys.stderr)
    print("\n".join(merged(runs, against)))
    print(f"\n{given.runs} runs, {date.today()}: medians", end="")
    print(f" of the ratios to {given.against}, run by run," if other else "", "and how far the furthest run is from them.")
    if busy is not None:
        others = max(0.0, busy_seconds() - busy - own_seconds() + own) / (time.monotonic() - start)
        print(f"Other programs took {others:.1f} of {os.cpu_count()} processors.")


if __name__ == "__main__":
    main()
