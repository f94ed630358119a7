"""Which keywords go with which operation, as type checkers are told: the tables are the judge's, and wrong calls are refused."""

import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay import _keywords
from assay._judging import Judging
from assay._operation import Operation

HERE = Path(__file__).parent
RUN = {"cases", "seed", "digits", "filter", "reach", "executor", "shards", "resume", "time_limit", "input", "own_process"}
TABLES = {"ctc": _keywords.CtcGate, "cce": _keywords.CceGate, "svd": _keywords.SvdGate}


def words(table):
    return {name: str(getattr(one, "__forward_arg__", one)) for name, one in table.__annotations__.items()}


def literals(text):
    """The texts that an annotation names, directly or by a name of _keywords."""
    names = set(re.findall(r"[A-Za-z]+", text)) - {"Literal"}
    named = [getattr(_keywords, name) for name in names if hasattr(_keywords, name)]
    return set(re.findall(r"'([a-z_0-9]*)'", text)) | {
        one for of in named for one in getattr(of, "__args__", ()) if isinstance(one, str)
    }


@pytest.mark.parametrize("operation", TABLES)
def test_the_table_of_an_operation_is_the_judges(operation):
    keywords, table = assay.declare.keywords(operation), words(TABLES[operation])
    alone = {"ctc": ["real_input", "algebra"], "cce": ["algebra"], "svd": []}[operation]
    assert set(table) == {*keywords, *RUN, *alone}
    for name, one in keywords.items():
        if "values" in one and name != "limits":
            assert literals(table[name]) == set(one["values"]), name
        elif name != "limits":
            assert table[name] == type(one["default"]).__name__, name


def test_the_table_of_a_formula_is_what_its_gate_takes():
    own = set(Operation.declares()) | set(Judging.gate.__kwdefaults__)
    assert set(words(_keywords.FormulaGate)) == own | {"largest", "contiguous", "device", "certificate"}
    assert literals("Reach") == {"", *assay._gate.REACHES}


def test_the_decorators_leave_the_functions_as_they_are():
    assert "Judges" not in str(type(assay.gate)) and assay.gate.__doc__ and assay.gradcheck.__doc__ and assay.pytest_gate.__doc__


@pytest.mark.parametrize("function", [assay.operation, assay.gate, assay.gradcheck])
def test_the_help_has_an_example_what_is_returned_and_what_is_raised(function):
    assert all(word in function.__doc__ for word in ("    >>> ", "\n    Returns ", "\n    Raises "))


FILES = ["typing_right.py", "typing_wrong.py"]
MYPY = """
[mypy]
strict = True
follow_imports = {follow}
disallow_any_generics = False
untyped_calls_exclude = jax,torch
{older}
[mypy-mlx.*,scipy.*,tqdm.*,torchaudio.*,distributed.*,pytest.*,ml_dtypes.*,fla.*,liger_kernel.*,unsloth.*{absent}]
follow_imports = skip
ignore_missing_imports = True
"""  # np.ndarray has no default parameters before NumPy 2; JAX and PyTorch leave functions untyped
WITHOUT_FRAMEWORKS = """
[mypy-assay.torch.*,assay.pytorch.*,assay.jaxpr.*,assay.jax,assay.mlx,assay._released_faults]
ignore_errors = True
"""
# A framework need not be installed; what a decorator fills in is there.
PYRIGHT = {"reportMissingImports": False, "reportMissingModuleSource": False, "reportTypedDictNotRequiredAccess": False}


def frameworks_are_here():
    """Those that the package is annotated for; older ones say less of their functions, and other things."""
    try:
        found = importlib.metadata.version("torch"), importlib.metadata.version("jax")
    except importlib.metadata.PackageNotFoundError:
        return False
    torch, jax = (tuple(map(int, re.findall(r"\d+", one)[:2])) for one in found)
    return torch >= (2, 10) and jax >= (0, 8)


def is_older_mypy():
    """Than the one that takes keywords of a TypedDict."""
    return tuple(map(int, importlib.import_module("mypy.version").__version__.split(".")[:2])) < (1, 7)


def options_of_mypy(folder, follow="silent"):
    older = "enable_incomplete_feature = Unpack" if is_older_mypy() else ""
    absent = "" if frameworks_are_here() else ",torch.*,jax.*"
    text = MYPY.format(older=older, follow=follow, absent=absent) + ("" if frameworks_are_here() else WITHOUT_FRAMEWORKS)
    (folder / "mypy.ini").write_text(text)
    return [f"--config-file={folder / 'mypy.ini'}", f"--cache-dir={folder / 'cache'}"]


def checked(checker, *arguments):
    package = str(Path(assay.__file__).parents[1])
    environment = {**os.environ, "MYPYPATH": package, "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])}
    return subprocess.run([sys.executable, "-m", checker, *arguments], capture_output=True, text=True, env=environment, cwd=HERE)


@pytest.fixture(scope="module", params=["mypy", "pyright"])
def said(request, tmp_path_factory):
    """What a type checker says of both files: (file, line) of each error, and the whole."""
    if importlib.util.find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    options = options_of_mypy(tmp_path_factory.mktemp("mypy")) if request.param == "mypy" else [f"--pythonpath={sys.executable}"]
    ended = checked(request.param, *options, *FILES)
    found = re.findall(r"(\w+\.py):(\d+):(?:\d+)?.*error", ended.stdout)
    return {(file, int(line)) for file, line in found}, ended.stdout + ended.stderr


def test_right_calls_are_accepted_and_each_wrong_call_is_refused(said):
    text = (HERE / "typing_wrong.py").read_text().splitlines()
    wrong = {("typing_wrong.py", number) for number, line in enumerate(text, 1) if line.startswith("assay.")}
    assert len(wrong) > 20 and said[0] == wrong, said[1]


def test_the_package_itself_passes_pyright(tmp_path):
    pytest.importorskip("pyright")
    if not frameworks_are_here():
        pytest.skip("the package is annotated for PyTorch 2.10, JAX 0.8 and later, which are not installed")
    settings = {"include": [str(Path(assay.__file__).parent.resolve())], **PYRIGHT}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    ended = checked("pyright", f"--pythonpath={sys.executable}", "--project", str(tmp_path))
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_package_itself_passes(tmp_path):
    pytest.importorskip("mypy")
    if is_older_mypy():
        pytest.skip("a mypy before 1.7 takes other comments and infers less")
    ended = checked("mypy", *options_of_mypy(tmp_path, "normal"), "-p", "assay")
    assert ended.returncode == 0, ended.stdout + ended.stderr
