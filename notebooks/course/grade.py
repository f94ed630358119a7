"""Grading: what students wrote is put into the notebooks as they are here, which then say whether it is right.

A cell with a question or an exercise has what its reader writes, and the rest, which judges it. Of a submission only the
statements that the cell does not have here are taken; the rest is this repository's, so that a check that somebody changed
judges nothing. What is written runs in a process with the rights of whoever grades.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Set

import nbformat
from execute import EXERCISE, QUESTION, exercises, questions, streams
from IPython.core.inputtransformer2 import TransformerManager
from lessons import NOTEBOOKS
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

JUDGES = {"check", "exercise", "puzzle"}
AGAIN = "from teaching import check, exercise, puzzle\n"


class Mark(NamedTuple):
    task: str
    verdict: str  # right, wrong, or open: nothing was written
    said: str


def statements(source: str) -> Dict[str, str]:
    """Each statement of a cell, by its meaning; raises SyntaxError."""
    text = TransformerManager().transform_cell(source)
    return {ast.dump(node): ast.get_source_segment(text, node) or "" for node in ast.parse(text).body}


def bound(text: str, imports: bool = True) -> Set[str]:
    """The names that statements define at their own level, not inside of functions and classes."""
    found: Set[str] = set()
    waiting: List[ast.AST] = list(ast.parse(text).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.alias) and imports:
            found.add((node.asname or node.name).split(".")[0])
        waiting += ast.iter_child_nodes(node)
    return found


def read(text: str) -> Set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


class Task:
    """A question or an exercise, as the notebook here asks it."""

    def __init__(self, cell: Any, number: int) -> None:
        self.id = cell.get("id")
        all_of_it = statements(cell.source)
        place = QUESTION.search(cell.source) or EXERCISE.search(cell.source)
        assert place is not None
        begin = len(statements(cell.source[: place.start()]))
        self.dumps = set(all_of_it)
        self.placeholder = list(all_of_it)[begin]
        (self.name,) = bound(all_of_it[self.placeholder])
        self.title = f"question {number}" if self.name == "answer" else self.name
        self.rest = "\n".join(text for dump, text in all_of_it.items() if dump != self.placeholder)
        self.relied_on = read(self.rest) - bound(self.rest) - {self.name}

    def submitted(self, cells: List[Any]) -> Optional[Any]:
        """The cell of a submission: the one with the same id, or else the one that has what judges it."""
        for cell in cells:
            if self.id is not None and cell.get("id") == self.id:
                return cell
        for cell in cells:
            try:
                if (self.dumps - {self.placeholder}) & set(statements(cell.source)):
                    return cell
            except SyntaxError:
                continue
        return None


class Run:
    """One notebook in one process, with a submission's answers in place."""

    def __init__(self, original: Any, seconds: int) -> None:
        self.original = original
        self.seconds = seconds
        self.client = NotebookClient(original, kernel_name="python3", shutdown_kernel="immediate",
                                     resources={"metadata": {"path": str(NOTEBOOKS)}})  # fmt: skip

    def cell(self, source: str, i: int, seconds: int) -> str:
        """What the code prints, in the place of cell i; raises what nbclient raises."""
        kept = self.original.cells[i]
        self.client.timeout = seconds
        cell = nbformat.v4.new_code_cell(source)
        try:
            self.client.execute_cell(cell, i, store_history=False)
        finally:
            self.original.cells[i] = kept
        return streams(cell, "stdout").strip()

    def mark(self, task: Task, i: int, cell: Optional[Any]) -> Mark:
        try:
            if cell is None:
                return Mark(task.title, "open", "the cell is not there")
            own = "\n".join(text for dump, text in statements(cell.source).items() if dump not in task.dumps)
        except SyntaxError as error:
            return Mark(task.title, "wrong", f"SyntaxError: {error.msg}")
        if task.name not in bound(own):
            return Mark(task.title, "open", "")
        changed = bound(own) & JUDGES | bound(own, imports=False) & task.relied_on
        if changed:
            return Mark(task.title, "wrong", f"defines {', '.join(sorted(changed))}, on which its judge relies")
        try:
            self.cell(own, i, self.seconds)
            lines = self.cell(AGAIN + task.rest, i, self.seconds).split("\n")
        except CellExecutionError as error:
            return Mark(task.title, "wrong", f"{error.ename}: {error.evalue}")
        refused = [line for line in lines if line.startswith("Not yet.")]
        right = lines[-1] == "Right." and not refused
        return Mark(task.title, "right" if right else "wrong", (refused or lines)[0])


def run(original: Any, tasks: Dict[int, Task], cells: List[Any], seconds: int, marks: Dict[int, Mark]) -> bool:
    """Fills in the marks that are not there yet; False where an answer ended the process, or had to be ended with it."""
    one, at = Run(original, seconds), -1
    try:
        with one.client.setup_kernel():
            for i, cell in enumerate(original.cells):
                at = i
                if i in tasks and i not in marks:
                    marks[i] = one.mark(tasks[i], i, tasks[i].submitted(cells))
                elif i not in tasks and cell.cell_type == "code":
                    one.cell(cell.source, i, 600)
    except (CellTimeoutError, DeadKernelError) as error:
        if at not in tasks:
            raise
        late = isinstance(error, CellTimeoutError)
        marks[at] = Mark(tasks[at].title, "wrong", f"took more than {seconds} s" if late else "the process ended")
        return False
    return True


def grade(notebook: Path, submission: Path, seconds: int) -> List[Mark]:
    """A mark for each question and exercise of the notebook; those that a broken submission does not reach are wrong."""
    original = nbformat.read(notebook, as_version=4)
    asked = questions(original)
    tasks = {i: Task(original.cells[i], asked.index(i) + 1 if i in asked else 0) for i in sorted({*asked, *exercises(original)})}
    marks: Dict[int, Mark] = {}
    said = ""
    try:
        cells = [cell for cell in nbformat.read(submission, as_version=4).cells if cell.cell_type == "code"]
        while not run(original, tasks, cells, seconds, marks):
            pass  # a new process for the tasks that are left
    except CellExecutionError as error:  # of a cell of this repository's
        if all(mark.verdict == "open" for mark in marks.values()):  # which no answer can have broken
            raise SystemExit(f"course: {notebook.name} does not run here: {error.ename}: {error.evalue}") from None
        said = f"a cell that is not the student's raised {error.ename}: {error.evalue}"
    except Exception as error:  # of a file that is no notebook
        said = f"{type(error).__name__}: {error}"
    return [marks.get(i) or Mark(task.title, "wrong", said.split("\n")[0]) for i, task in tasks.items()]
