"""execute.py: what is wrong with a notebook must fail, each in its way."""

import json
import sys
from types import SimpleNamespace

import execute
import nbformat
import pytest
from conftest import NOTEBOOKS

PREFACE = f"import sys\nsys.path.insert(0, {str(NOTEBOOKS)!r})\nfrom teaching import check, exercise"
QUESTION = "answer = ...  # how many\ncheck(answer, 2 + 3)"
EXERCISE = "def double(x):\n    return ...\n\nexercise(double, lambda x: x + x, [(1,), (3,)])"
QUOTE = "\n\n```text\nNot yet. double(3)\n  returned 9\n  expected 6\n```\n"
SOLUTION = "<details>\n\n```python\ndef double(x):\n    return 2 * x\n```\n\n</details>"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    def run(*cells, answers=None, breaks=()):
        made = [nbformat.v4.new_markdown_cell(c) if c[0] == "<" else nbformat.v4.new_code_cell(c) for c in (PREFACE, *cells)]
        notebook = nbformat.v4.new_notebook(cells=made)
        (tmp_path / "exercises").mkdir(exist_ok=True)
        (tmp_path / "exercises" / "try.json").write_text(json.dumps(breaks))
        nbformat.write(notebook, tmp_path / "try.ipynb")
        (tmp_path / "try.json").write_text(json.dumps(answers))
        options = [] if answers is None else ["--answers", str(tmp_path)]
        arguments = ["--output", tmp_path / "out", *options, tmp_path / "try.ipynb"]
        monkeypatch.setattr(sys, "argv", ["execute.py", *map(str, arguments)])
        return SimpleNamespace(returncode=execute.main(), stderr=capsys.readouterr().err)

    return run


def test_a_good_one_is_written_with_its_outputs_and_open_questions(run, tmp_path):
    done = run("print('sum', 40 + 2)", QUESTION, answers=[[5, 6]])
    assert done.returncode == 0, done.stderr
    written = nbformat.read(tmp_path / "out" / "try.ipynb", as_version=4)
    assert written.cells[1].outputs[0].text == "sum 42\n"
    assert written.cells[2].source == QUESTION and "Your turn" in written.cells[2].outputs[0].text


def test_an_exercise_takes_its_solution_and_not_a_broken_one(run, tmp_path):
    done = run(EXERCISE, SOLUTION, answers=[], breaks=[["2 * x", "x * x"]])
    assert done.returncode == 0, done.stderr
    assert run(EXERCISE, SOLUTION + QUOTE, answers=[], breaks=[["2 * x", "x * x"]]).returncode == 1, "it says double(1)"
    written = nbformat.read(tmp_path / "out" / "try.ipynb", as_version=4)
    assert written.cells[1].source == EXERCISE and "write double" in written.cells[1].outputs[0].text


@pytest.mark.parametrize(
    "cells, breaks, words",
    [
        ([EXERCISE, SOLUTION], [], "1 exercises and 0 ways to break them"),
        ([EXERCISE, SOLUTION], [["3 * x", "x"]], "expected one that has '3 * x' once"),
        ([EXERCISE, "<p>"], [["2 * x", "x"]], "has 0 solutions"),
        ([EXERCISE, SOLUTION], [["2 * x", "x + x"]], "takes a solution with 'x + x'"),
        ([EXERCISE, SOLUTION], [["2 * x", "x * x", "2 * x", "x + x"]], "takes a solution with 'x + x'"),
        ([EXERCISE, SOLUTION], [["2 * x", "x * x", "3 * x", "x"]], "expected one that has '3 * x' once"),
        ([EXERCISE, SOLUTION + QUOTE], [["2 * x", "x + 2"]], "and the answer with 'x + 2' in place of '2 * x' is"),
        ([EXERCISE, SOLUTION.replace("2 * x", "3 * x")], [["3 * x", "x"]], "refuses its solution"),
        ([EXERCISE, SOLUTION.replace("2 * x", "x / 0")], [["/ 0", "/ 1"]], "raised ZeroDivisionError"),
        ([EXERCISE.replace("...", "2 * x"), SOLUTION], [["2 * x", "x * x"]], "did not say that it is open"),
    ],
)
def test_faults_of_exercises_are_found(run, cells, breaks, words):
    done = run(*cells, answers=[], breaks=breaks)
    assert done.returncode == 1
    assert words in done.stderr


@pytest.mark.parametrize(
    "cells, answers, words",
    [
        (["1 / 0"], None, "ZeroDivisionError"),
        (["assert 1 == 2"], None, "AssertionError"),
        (["sys.stderr.write('careful')"], None, "wrote to standard error: careful"),
        (["import warnings\nwarnings.warn('old')"], None, "wrote to standard error"),
        (["answer = ...\nprint(5)"], None, "did not say that it is open"),
        ([QUESTION], [[6, 4]], "refuses the answer 6"),
        ([QUESTION], [[5, 5]], "takes the answer 5"),
        ([QUESTION], [], "1 questions and 0 answers"),
        ([QUESTION, QUESTION], [[5, 4]], "2 questions and 1 answers"),
        (["answer = ...\ncheck(answer, answer)"], [[5, 4]], "takes the answer 4"),
    ],
)
def test_faults_are_found(run, cells, answers, words):
    done = run(*cells, answers=answers)
    assert done.returncode == 1
    assert words in done.stderr
