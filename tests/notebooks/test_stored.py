"""The notebooks as they are kept: without outputs, with questions, and with links that lead somewhere."""

import json
import re

import nbformat
import pytest
from conftest import NOTEBOOKS

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")


def faults(notebook, folder):
    """What keeps a notebook from being stored."""
    found = []
    for i, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            if cell.outputs or cell.execution_count is not None:
                found.append(f"cell {i} has outputs or a count")
            continue
        for target, _ in LINK.findall(cell.source):
            if not re.match(r"https?:", target) and not (folder / target).exists():
                found.append(f"cell {i} links to {target}, which is not there")
    if notebook.cells[0].cell_type != "markdown" or not notebook.cells[0].source.startswith("# "):
        found.append("no title")
    if sum("answer = ..." in cell.source for cell in notebook.cells) < 2:
        found.append("fewer than two questions")
    if not any(cell.cell_type == "code" and re.search(r"^(exercise|puzzle)\(", cell.source, re.M) for cell in notebook.cells):
        found.append("no exercise in code")
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        found.append("another kernel than python3")
    return found


@pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])
def test_stored(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert faults(notebook, path.parent) == []


def test_there_are_sixteen_and_the_readme_lists_them_in_order():
    names = [path.name for path in PATHS]
    assert len(names) == 16
    readme = (NOTEBOOKS / "README.md").read_text()
    assert [name for name in re.findall(r"\(([\w-]+\.ipynb)\)", readme) if name in names][:16] == names


def test_each_has_its_answers_and_no_others():
    answers = (NOTEBOOKS.parent / "tests" / "notebooks" / "answers").glob("*.json")
    assert sorted(path.stem for path in answers) == [path.stem for path in PATHS]
    for path in PATHS:
        pairs = json.loads((NOTEBOOKS.parent / "tests" / "notebooks" / "answers" / f"{path.stem}.json").read_text())
        assert all(right != wrong for right, wrong in pairs)


def test_each_has_its_exercises_broken():
    breaks = (NOTEBOOKS.parent / "tests" / "notebooks" / "answers" / "exercises").glob("*.json")
    assert sorted(path.stem for path in breaks) == [path.stem for path in PATHS]


def test_faults_are_found(tmp_path):
    code = nbformat.v4.new_code_cell("1", execution_count=3)
    text = nbformat.v4.new_markdown_cell("see [there](nowhere.md)")
    notebook = nbformat.v4.new_notebook(cells=[code, text])
    assert len(faults(notebook, tmp_path)) == 6
