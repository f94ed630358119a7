"""The set-up cell, the first code of every notebook: it does nothing where Assay is installed, and elsewhere it installs the
wheel that lies beside the notebook, or says how to build one."""

import json
import os
import subprocess
import sys
import zipfile

import pytest
from conftest import NOTEBOOKS


def first_code(path):
    cells = json.loads(path.read_text())["cells"]
    return next("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


CELL = first_code(NOTEBOOKS / "01-counting-alignments.ipynb")


def test_is_the_same_in_all_notebooks():
    assert CELL.startswith("# Set-up")
    assert {first_code(path) for path in NOTEBOOKS.glob("*.ipynb")} == {CELL}


@pytest.fixture
def run(tmp_path):
    """Runs the cell, then `after`, in a folder with the modules of the notebooks, in a Python that may lack Assay."""

    def run(after, *, python=sys.executable, modules=("teaching",), with_assay=False):
        for name in modules:
            (tmp_path / name).mkdir()
            (tmp_path / name / "__init__.py").touch()
        environment = {name: value for name, value in os.environ.items() if with_assay or name != "PYTHONPATH"}
        return subprocess.run([python, "-c", f"{CELL}\n{after}"], cwd=tmp_path, env=environment, capture_output=True, text=True)

    return run


def test_does_nothing_where_assay_is_installed(run):
    done = run("import assay; print(assay.__name__)", with_assay=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "assay\n", "")


def test_says_how_to_build_the_wheel_where_there_is_none(run):
    done = run("print('went on')")
    assert done.returncode == 1 and "went on" not in done.stdout
    assert done.stderr.splitlines()[-1].startswith("ModuleNotFoundError: assay: build its wheel, `pip wheel --no-deps -w notebooks .`")


def test_says_where_the_notebook_belongs(run):
    done = run("print('went on')", modules=(), with_assay=True)
    assert done.returncode == 1 and "the folder notebooks/" in done.stderr.splitlines()[-1]


def test_installs_the_wheel_beside_the_notebook(run, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    with zipfile.ZipFile(tmp_path / "assay-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("assay/__init__.py", "here = 'from the wheel'")
        wheel.writestr("assay-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: assay\nVersion: 1.0\n")
        wheel.writestr("assay-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("assay-1.0.dist-info/RECORD", "")
    done = run("import assay; print(assay.here)", python=tmp_path / "venv/bin/python")
    assert (done.returncode, done.stdout) == (0, "from the wheel\n"), done.stderr
