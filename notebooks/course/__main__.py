"""The course: its syllabus, slides, student versions, and grading by command. README.md says how to teach with it.

    ./assay course syllabus
    ./assay course student OUT [NN ...]          the notebooks without solutions
    ./assay course grade FOLDER [--csv FILE]     FOLDER/STUDENT/NN-*.ipynb: a table of the class
    ./assay course slides OUT [LESSON ...]       OUT/lesson-1.html, ..., from the notebooks as run
    ./assay course pdf OUT                       each of these as PDF, by Chromium, without and with notes

PYTHONPATH names the folder of the package assay, where it is not installed.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, List, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a debugger's remark on standard error, of each Python started
warnings.filterwarnings("ignore", message=".*missing an id field")  # of submissions: cells are found without

import lessons  # noqa: E402

Table = Dict[str, Dict[str, List[Any]]]  # of a student, of a notebook, its marks


def table_of(marks: Table) -> List[List[str]]:
    """A head, then a row for each student: right of all, notebook by notebook, and together."""
    columns = sorted({number for one in marks.values() for number in one})
    rows = [["student", *columns, "together"]]
    for student in sorted(marks):
        counts = [marks[student].get(number, []) for number in columns]
        cells = [f"{sum(m.verdict == 'right' for m in one)}/{len(one)}" if one else "-" for one in counts]
        flat = [mark for one in counts for mark in one]
        rows.append([student, *cells, f"{sum(mark.verdict == 'right' for mark in flat)}/{len(flat)}"])
    return rows


def grade(options: argparse.Namespace) -> int:
    import grade as grading

    originals = {path.name: path for path in map(lessons.notebook_of, lessons.numbers())}
    found = sorted(path for path in options.folder.glob("*/*.ipynb") if path.name in originals)
    for path in sorted(set(options.folder.glob("*/*.ipynb")) - set(found)):
        print(f"course: {path}: no notebook of the course has this name", file=sys.stderr)
    if not found:
        print(f"course: {options.folder}: expected notebooks as STUDENT/01-counting-alignments.ipynb", file=sys.stderr)
        return 2

    def one(path: Path) -> Tuple[Path, List[Any]]:
        return path, grading.grade(originals[path.name], path, options.seconds)

    marks: Table = {path.name: {} for path in options.folder.iterdir() if path.is_dir() and not path.name.startswith(".")}
    with ThreadPoolExecutor(options.jobs) as pool:
        for path, given in pool.map(one, found):
            marks[path.parent.name][path.name[:2]] = given
    rows = table_of(marks)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    if options.details:
        for student, number, mark in ((s, n, m) for s in sorted(marks) for n in sorted(marks[s]) for m in marks[s][n]):
            print(f"{student} {number} {mark.task}: {mark.verdict}" + (f" ({mark.said})" if mark.said else ""))
    if options.csv:
        with options.csv.open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    if options.json:
        options.json.write_text(
            json.dumps({s: {n: [m._asdict() for m in ms] for n, ms in one.items()} for s, one in marks.items()})
        )
    return 0


def slides(options: argparse.Namespace) -> int:
    import slides as making

    chosen = options.lessons or range(1, len(lessons.LESSONS) + 1)
    for number in chosen:
        if not 1 <= number <= len(lessons.LESSONS):
            raise SystemExit(f"course: lesson {number}: expected 1 to {len(lessons.LESSONS)}")
        print(making.write(number, options.executed, options.out))
    return 0


def pdf(options: argparse.Namespace) -> int:
    import slides as making

    pages = sorted(options.out.glob("lesson-*.html"))
    if not pages:
        raise SystemExit(f"course: {options.out} has no lesson-*.html: run `slides {options.out}` first")
    for page in pages:
        for printed in making.printed(page):
            print(printed)
    return 0


def student(options: argparse.Namespace) -> int:
    import student as versions

    paths = [lessons.notebook_of(number) for number in options.numbers or lessons.numbers()]
    print(f"{versions.write(paths, options.out)} notebooks without solutions in {options.out}")
    return 0


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="course", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("syllabus").set_defaults(run=lambda _: print("\n".join(lessons.syllabus())) or 0)
    one = commands.add_parser("student", help="the notebooks without solutions")
    one.add_argument("out", type=Path)
    one.add_argument("numbers", nargs="*", metavar="NN", help="such as 01 02; by default all")
    one.set_defaults(run=student)
    one = commands.add_parser("grade", help="a table of the class")
    one.add_argument("folder", type=Path, help="has a folder for each student, with notebooks under their own names")
    one.add_argument("--csv", type=Path, help="writes the table there too")
    one.add_argument("--json", type=Path, help="writes each mark, and what was said of it")
    one.add_argument("--details", action="store_true", help="prints each mark")
    one.add_argument("--seconds", type=int, default=60, help="that an answer may take")
    one.add_argument("--jobs", type=int, default=2, help="notebooks graded at a time")
    one.set_defaults(run=grade)
    one = commands.add_parser("slides", help="one HTML file for each lesson")
    one.add_argument("out", type=Path)
    one.add_argument("lessons", nargs="*", type=int, metavar="LESSON")
    built = lessons.NOTEBOOKS.parent / "build" / "release" / "notebooks"
    one.add_argument("--executed", type=Path, default=built, help="the notebooks as `./assay notebooks` writes them")
    one.set_defaults(run=slides)
    one = commands.add_parser("pdf", help="prints the slides")
    one.add_argument("out", type=Path)
    one.set_defaults(run=pdf)
    return parser.parse_args()


if __name__ == "__main__":
    options = parsed()
    sys.exit(options.run(options))
