"""execute.py: what is wrong with a notebook must fail, each in its way."""

import json
import subprocess
import sys

import nbformat
import pytest
from conftest import NOTEBOOKS

PREFACE = f"import sys\nsys.path.insert(0, {str(NOTEBOOKS)!r})\nfrom teaching import check"
QUESTION = "answer = ...  # how many\ncheck(answer, 2 + 3)"


@pytest.fixture
def run(tmp_path):
    def run(*cells, answers=None):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in (PREFACE, *cells)])
        nbformat.write(notebook, tmp_path / "try.ipynb")
        (tmp_path / "try.json").write_text(json.dumps(answers))
        options = [] if answers is None else ["--answers", str(tmp_path)]
        return subprocess.run(
            [sys.executable, NOTEBOOKS / "execute.py", "--output", tmp_path / "out", *options, tmp_path / "try.ipynb"],
            capture_output=True,
            text=True,
        )

    return run


def test_a_good_one_is_written_with_its_outputs_and_open_questions(run, tmp_path):
    done = run("print('sum', 40 + 2)", QUESTION, answers=[[5, 6]])
    assert done.returncode == 0, done.stderr
    written = nbformat.read(tmp_path / "out" / "try.ipynb", as_version=4)
    assert written.cells[1].outputs[0].text == "sum 42\n"
    assert written.cells[2].source == QUESTION and "Your turn" in written.cells[2].outputs[0].text


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
