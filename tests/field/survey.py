#!/usr/bin/env python3
"""How many kernels of published Metal shaders compile: survey.py PROGRAM FOLDER...

Looks for .metal files in each folder, as they are: nothing is written there. Of each file it lists the kernels and
compiles one instantiation of each template, which stands for the others, and every ordinary kernel; with --all, every
instantiation. Prints a table, and what was refused: the place, the message, and the kernels that it stands for. A file
whose kernels cannot be listed counts as one kernel that is refused.

    tests/field/survey.py build/ci/validation/assay ../mlx ../candle -D NAME=VALUE

With --projects it surveys the projects of a list, at their commits: tests/field/projects.txt. Those that are not in the
only folder that is named then are fetched into it.

    tests/field/survey.py build/ci/validation/assay ../field --projects tests/field/projects.txt --most 10
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import time

Outcome = collections.namedtuple("Outcome", "file kernels message seconds")


def run(program, arguments, limit):
    """The exit status and the output; a status of None after `limit` seconds."""
    try:
        done = subprocess.run([program, "metal", *arguments], capture_output=True, text=True, timeout=limit)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return None, f"not compiled after {limit} s"


def first_error(text):
    """The line with the first error, and without the folder of its file."""
    lines = [line for line in text.splitlines() if "error:" in line] or text.splitlines() or ["no message"]
    return re.sub(r"^(?:assay: )?\S*/(?=[^/\s]+:\d+)", "", lines[0])


def representatives(listing, every):
    """One kernel of each template, with the number of kernels that it stands for."""
    groups = collections.OrderedDict()
    for line in listing.splitlines():
        if not line.startswith("kernel "):
            continue
        name, _, instantiation = line[len("kernel "):].partition(" = ")
        key = name if every or not instantiation else instantiation.split("<")[0] + "<"
        groups.setdefault(key, []).append(name)
    return [(names[len(names) // 2], len(names)) for names in groups.values()]


def kernels_of(outcomes):
    return sum(one.kernels for one in outcomes)


def compiled_of(outcomes):
    return sum(one.kernels for one in outcomes if one.message is None)


def survey_file(program, file, options):
    """The outcome of each kernel that was tried. A file without kernels has none."""
    if options.projects and not re.search(r"\bkernel\b", file.read_text(errors="replace")):
        return []
    start = time.monotonic()
    status, text = run(program, ["check", str(file), *options.flags], options.limit)
    if status != 0:
        return [Outcome(file, 1, first_error(text), time.monotonic() - start)]
    outcomes = []
    for name, count in representatives(text, options.all):
        start = time.monotonic()
        status, text = run(program, ["check", str(file), "--kernel", name, *options.flags], options.limit)
        message = None if status == 0 else first_error(text)
        outcomes.append(Outcome(file, count, message, time.monotonic() - start))
    print(f"{file}: {compiled_of(outcomes)} of {kernels_of(outcomes)}", file=sys.stderr, flush=True)
    return outcomes


def commit_of(folder):
    done = subprocess.run(["git", "-C", str(folder), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def fetched(line, root):
    """The folder of a project, `owner/name commit flags...`, and the flags of its build, of which {} is the folder."""
    name, commit, *flags = line.split()
    folder = root.resolve() / name.replace("/", "+")
    if not folder.is_dir():
        subprocess.run(["git", "clone", "--quiet", "--filter=blob:none", f"https://github.com/{name}", str(folder)], check=True)
        subprocess.run(["git", "-C", str(folder), "checkout", "--quiet", commit], check=True)
    return folder, [flag.replace("{}", str(folder)) for flag in flags]


def projects(options):
    """Each folder to survey, and flags for it alone."""
    if options.projects is None:
        return [(folder.resolve(), []) for folder in options.folders]
    lines = [line for line in options.projects.read_text().splitlines() if line and not line.startswith("#")]
    return [fetched(line, options.folders[0]) for line in lines]


def chosen(outcomes_of, files, most):
    """The outcomes of files in a fixed random order, until `most` kernels were tried."""
    outcomes = []
    for file in files:
        if most and len(outcomes) >= most:
            break
        outcomes += outcomes_of(file)
    return outcomes


def survey(program, folder, options):
    files = sorted(folder.rglob("*.metal"))
    if options.most:
        random.Random(1).shuffle(files)
        return files, chosen(lambda file: survey_file(program, file, options), files, options.most)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = [one for many in pool.map(lambda file: survey_file(program, file, options), files) for one in many]
    return files, outcomes


def row(folder, files, outcomes):
    kernels, compiled = kernels_of(outcomes), compiled_of(outcomes)
    slowest = max((one.seconds for one in outcomes), default=0)
    share = f"{100 * compiled / kernels:.1f} %" if kernels else "-"
    name = f"{folder.name} {commit_of(folder)}".strip()
    return f"| {name} | {len(files)} | {kernels} | {compiled} | {share} | {slowest:.0f} |"


def print_refusals(folder, outcomes):
    refused = collections.Counter()
    for one in outcomes:
        if one.message is not None:
            refused[f"{one.file.relative_to(folder)}: {one.message}"] += one.kernels
    for message, kernels in refused.most_common():
        print(f"  {kernels} of {folder.name}/{message}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program that was built, assay")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("-D", "--define", action="append", default=[])
    parser.add_argument("-I", "--include", action="append", default=[])
    parser.add_argument("--projects", type=pathlib.Path, help="a list of projects to survey below the folder")
    parser.add_argument("--most", type=int, help="of each project, about so many kernels, from files chosen at random")
    parser.add_argument("--all", action="store_true", help="every instantiation, not one of each template")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=300, help="seconds for one kernel")
    options = parser.parse_args()
    options.flags = [f"-D{text}" for text in options.define] + [f"-I{folder}" for folder in options.include]
    results = []
    print("| repository | files | kernels | compiled | share | slowest kernel, s |\n|---|---|---|---|---|---|")
    common = options.flags
    for folder, flags in projects(options):
        options.flags = common + flags
        files, outcomes = survey(options.program, folder, options)
        print(row(folder, files, outcomes), flush=True)
        results.append((folder, outcomes))
    for folder, outcomes in results:
        print_refusals(folder, outcomes)
    return 0 if all(one.message is None for _, outcomes in results for one in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
