"""Runs notebooks from scratch, each in a fresh Python, and writes them with their outputs.

    execute.py --output DIR NOTEBOOK.ipynb ...           what `./assay notebooks` does
    execute.py --output DIR --answers DIR NOTEBOOK ...   besides, answers every question: what the tests do

A question is a cell that says `answer = ...` and hands it to `check`. Beside others, DIR holds a JSON file of each
notebook's name: a list of [right, wrong] answers, one pair a question. After the notebook has run, each question's cell
runs again in the same Python with the right answer and with the wrong one, and must say so.

An exercise is a cell that calls `exercise` or `puzzle`, and the cell below it holds its solution. DIR/exercises holds a
list of [text, other text] for each notebook, one pair an exercise: the solution must pass, and must not with the other
text in place of the first. [text, other, text, other] breaks it in two ways. Where the cell of the solution quotes an answer,
in a block of ```text, the answer to the solution that is broken first must be that.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, List, Optional, Sequence, Tuple

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

QUESTION = re.compile(r"^answer = \.\.\.", re.MULTILINE)
EXERCISE = re.compile(  # the function or the kernel that is to be written
    r'^(?=def \w+\(|\w+ = """)(.*?)(?=^(?:exercise|puzzle)\()', re.MULTILINE | re.DOTALL
)
SOLUTION = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def streams(cell: Any, name: str) -> str:
    return "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == name)


def join_streams(cell: Any) -> None:
    """Joins neighbouring pieces of one stream: in how many of them the words came is a matter of time."""
    joined: List[Any] = []
    for output in cell.get("outputs", []):
        if joined and output.output_type == joined[-1].output_type == "stream" and output.name == joined[-1].name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    if cell.cell_type == "code":
        cell.outputs = joined


def questions(notebook: Any) -> List[int]:
    """Where the questions are, as indices of cells."""
    return [i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code" and QUESTION.search(cell.source)]


def exercises(notebook: Any) -> List[int]:
    return [i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code" and EXERCISE.search(cell.source)]


def complaints(notebook: Any) -> List[str]:
    """What no notebook should have: words on standard error, such as warnings; a question or exercise that the start answers."""
    found = []
    for i, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        if streams(cell, "stderr"):
            found.append(f"cell {i} wrote to standard error: {streams(cell, 'stderr').strip()}")
        asks = QUESTION.search(cell.source) or EXERCISE.search(cell.source)
        if asks and "Your turn" not in streams(cell, "stdout"):
            found.append(f"cell {i} is a question or an exercise, and did not say that it is open")
    return found


def say(client: NotebookClient, notebook: Any, i: int, place: "re.Pattern[str]", answer: str) -> str:
    """What cell i says with `answer` in the place of what is open; the notebook keeps the cell as it was."""
    question = notebook.cells[i]
    cell = nbformat.v4.new_code_cell(place.sub(lambda _: answer, question.source, count=1))
    try:
        client.execute_cell(cell, i, store_history=False)
    finally:
        notebook.cells[i] = question
    return streams(cell, "stdout")


def unanswered(client: NotebookClient, notebook: Any, answers: Sequence[Tuple[Any, Any]]) -> List[str]:
    """Which questions take a wrong answer, or refuse the right one."""
    places = questions(notebook)
    if len(places) != len(answers):
        return [f"{len(places)} questions and {len(answers)} answers to them"]
    found = []
    for i, (right, wrong) in zip(places, answers):
        if "Right." not in say(client, notebook, i, QUESTION, f"answer = {right!r}"):
            found.append(f"cell {i} refuses the answer {right!r}")
        if "Not yet." not in say(client, notebook, i, QUESTION, f"answer = {wrong!r}"):
            found.append(f"cell {i} takes the answer {wrong!r}")
    return found


def unsolved(client: NotebookClient, notebook: Any, breaks: Sequence[Sequence[str]]) -> List[str]:
    """Which exercises refuse their solution, or take one that is broken."""
    places = exercises(notebook)
    if len(places) != len(breaks):
        return [f"{len(places)} exercises and {len(breaks)} ways to break them"]
    found = []
    for i, texts in zip(places, breaks):
        below = notebook.cells[i + 1].source
        solutions = SOLUTION.findall(below)
        missing = [text for text in texts[::2] if len(solutions) != 1 or solutions[0].count(text) != 1]
        if missing:
            found.append(f"cell {i + 1} has {len(solutions)} solutions: expected one that has {missing[0]!r} once")
            continue
        if "Right." not in (said := say(client, notebook, i, EXERCISE, solutions[0] + "\n\n")):
            found.append(f"cell {i} refuses its solution: {said.strip()}")
        quoted = QUOTED.findall(below)
        for text, other in zip(texts[::2], texts[1::2]):
            said = say(client, notebook, i, EXERCISE, solutions[0].replace(text, other) + "\n\n")
            if "Not yet." not in said:
                found.append(f"cell {i} takes a solution with {other!r} in place of {text!r}")
            for words in quoted:
                if words.strip() != said.strip():
                    found.append(f"cell {i + 1} quotes\n{words}\nand the answer with {other!r} in place of {text!r} is\n{said}")
            quoted = []
    return found


def execute(path: Path, output: Path, answers: Optional[Path], timeout: int) -> List[str]:
    """Runs one notebook and writes it; returns what was wrong with it."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=timeout, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    )
    try:
        with client.setup_kernel():
            for i, cell in enumerate(notebook.cells):
                client.execute_cell(cell, i)
            found = complaints(notebook)
            if answers is not None:
                found += unanswered(client, notebook, json.loads((answers / f"{path.stem}.json").read_text()))
                breaks = answers / "exercises" / f"{path.stem}.json"
                found += unsolved(client, notebook, json.loads(breaks.read_text()) if breaks.is_file() else [])
    except CellExecutionError as error:
        found = [str(error)]
    for cell in notebook.cells:
        cell.get("metadata", {}).pop("execution", None)  # times of day
        join_streams(cell)
    output.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, output / path.name)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="+", type=Path)
    parser.add_argument("--output", required=True, type=Path, help="folder to write the notebooks with outputs to")
    parser.add_argument("--answers", type=Path, help="folder of answers to every question")
    parser.add_argument("--timeout", type=int, default=300, help="seconds a cell may take")
    parser.add_argument("--jobs", type=int, default=1, help="notebooks run at a time")
    options = parser.parse_args()
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a debugger's remark on standard error, of each Python started

    def one(path: Path) -> bool:
        start = time.monotonic()
        found = execute(path.resolve(), options.output, options.answers, options.timeout)
        print(f"{path.stem:32} {time.monotonic() - start:5.1f} s  {'failed' if found else 'ok'}", flush=True)
        for complaint in found:
            print(f"  {path.name}: {complaint}", file=sys.stderr, flush=True)
        return not found

    with ThreadPoolExecutor(options.jobs) as pool:
        return 0 if all(list(pool.map(one, options.notebooks))) else 1


if __name__ == "__main__":
    sys.exit(main())
