"""The six lessons: which notebooks each has, and how long they take."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple

import nbformat

NOTEBOOKS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(NOTEBOOKS))

from execute import exercises, questions  # noqa: E402

WORDS_A_MINUTE = 200
LONG, SHORT, QUESTION = 12, 5, 3  # minutes of an exercise that writes a function, of a short one, of a question: our guess
FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)


class Lesson(NamedTuple):
    title: str
    numbers: List[str]  # of its notebooks


LESSONS = [
    Lesson("From a list of alignments to a formula", ["01"]),
    Lesson("Alpha: the list without listing", ["02"]),
    Lesson("Beta, and the gradient", ["03", "04"]),
    Lesson("Underflow and edge cases", ["05", "06"]),
    Lesson("A kernel, and how it is judged", ["07", "10"]),
    Lesson("Decoding with a language model, and checking gradients", ["11", "12"]),
]


def notebook_of(number: str) -> Path:
    found = sorted(NOTEBOOKS.glob(f"{number}-*.ipynb"))
    if len(found) != 1:
        raise SystemExit(f"course: no notebook begins with '{number}': expected one of {', '.join(numbers())}")
    return found[0]


def numbers() -> List[str]:
    return sorted(path.stem[:2] for path in NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))


def minutes(path: Path) -> Dict[str, int]:
    """What a notebook takes: to read, and to do what it asks."""
    notebook = nbformat.read(path, as_version=4)
    text = " ".join(FOLDED.sub("", cell.source) for cell in notebook.cells if cell.cell_type == "markdown")
    tasks, asked = len(exercises(notebook)), len(questions(notebook))
    return {
        "read": round(len(text.split()) / WORDS_A_MINUTE),
        "do": LONG * (tasks > 0) + SHORT * max(0, tasks - 1) + QUESTION * asked,
        "tasks": tasks + asked,
    }


def syllabus() -> List[str]:
    """The table of the page, a row for each lesson."""
    rows = []
    for i, lesson in enumerate(LESSONS, 1):
        parts = [minutes(notebook_of(number)) for number in lesson.numbers]
        read, do, tasks = (sum(part[name] for part in parts) for name in ("read", "do", "tasks"))
        named = ", ".join(str(int(number)) for number in lesson.numbers)
        rows.append(f"| {i} | {lesson.title} | {named} | {read} | {do} | {tasks} |")
    return rows
