"""`assay kernelbench`: right answers of two makings pass, 80 kinds of faults fail, and the line of JSON says what to do next."""

import functools
import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from pytorch_problems import FAULTS, PROBLEMS, RIGHT  # noqa: E402

from assay._cases import shortened  # noqa: E402
from assay.pytorch.benchmark_file import BenchmarkFile  # noqa: E402
from assay.pytorch.command import case_of, kernelbench, summary  # noqa: E402
from assay.pytorch.kernelbench import BenchmarkOperation  # noqa: E402
from assay.pytorch.patterns import pattern_on_a_case  # noqa: E402

DECLARED = {"empty": False, "contiguous": True, "largest": 2.0**40}


@pytest.fixture(scope="module")
def operation_of(tmp_path_factory):
    folder = tmp_path_factory.mktemp("problems")

    @functools.lru_cache(maxsize=None)
    def made(name):
        path = folder / f"{name}.py"
        path.write_text(PROBLEMS[name])
        return BenchmarkOperation(str(path))

    return made


def model_new(operation, forward):
    """A ModelNew with the Model's parameters."""
    return type("ModelNew", (type(operation.reference),), {"forward": lambda self, *tensors: forward(self, *tensors)})


@pytest.mark.parametrize("name, k", [(name, k) for name in PROBLEMS for k in range(2)])
def test_right_answers_pass(operation_of, name, k):
    operation = operation_of(name)
    result = operation.gate(model_new(operation, RIGHT[name][k]), cases=12, **DECLARED)
    result.raise_for_failure()
    assert summary(result, None, operation.extents)["verdict"] == "pass"


@pytest.mark.parametrize("name, fault", [(name, fault) for name in PROBLEMS for fault in FAULTS[name]])
def test_faulty_answers_fail(operation_of, name, fault):
    operation = operation_of(name)
    kernel = model_new(operation, FAULTS[name][fault])
    result = operation.gate(kernel, cases=12, filter="^outputs$", **DECLARED)
    assert not result.passed and result["outputs"].verdict in ("fail", "error")
    said = summary(result, None, operation.extents)
    assert said["verdict"] in ("fail", "error") and said["advice"] and "--replay" in said["replay"]


@pytest.mark.parametrize("name, fault, text", [
    ("convolution", "zeros", "all are 0"), ("batch_norm", "input returned", "expected"), ("linear", "NaN", "are NaN"),
    ("attention", "values returned", "the result is the input V"), ("loss", "sum for mean", "times what is due"),
    ("linear", "one wrong element", "first at [0, 0]"), ("linear", "tail of the columns", "only at the last"),
])  # fmt: skip
def test_a_pattern_says_what_wrong_elements_have_in_common(operation_of, name, fault, text):
    if name not in PROBLEMS:
        pytest.skip(f"PyTorch {torch.__version__} has no scaled_dot_product_attention")
    operation = operation_of(name)
    pattern = pattern_on_a_case(operation, model_new(operation, FAULTS[name][fault]))
    assert text in pattern.text and pattern.advice


def test_a_right_answer_has_no_pattern(operation_of):
    operation = operation_of("loss")
    assert pattern_on_a_case(operation, model_new(operation, RIGHT["loss"][0])) is None


def test_sizes_are_smaller_and_those_that_may_vary_are_extents(operation_of):
    operation = operation_of("convolution")
    assert operation.file.sizes == {
        "batch_size": 16,
        "in_channels": 32,
        "out_channels": 64,
        "height": 128,
        "width": 128,
        "kernel_size": 3,
    }
    assert set(operation.extents) == {"batch_size", "in_channels", "out_channels", "height", "width"}
    assert [one[1] for one in operation.inputs][0] == ["batch_size", "in_channels", "height", "width"]
    groups = operation_of("group_norm")  # features have to be a multiple of num_groups: both stay as they are
    assert set(groups.extents) == {"batch_size", "length"}


SCALED = """
import torch

class Model(torch.nn.Module):
    def forward(self, A, s):
        return torch.clamp(A * s, max=%s)

M, N = 16384, 4096

def get_inputs():
    return [torch.rand(M, N), 3.5]

def get_init_inputs():
    return []
"""


def test_a_number_among_the_inputs_is_varied(tmp_path):
    path = tmp_path / "scaled.py"
    path.write_text(SCALED % "100.0")
    operation = BenchmarkOperation(str(path))
    operation.gate(type(operation.reference), cases=12, **DECLARED).raise_for_failure()
    memorised = model_new(operation, lambda self, A, s: torch.clamp(A * 3.5, max=100.0))
    assert operation.gate(memorised, cases=12, **DECLARED)["outputs"].verdict == "fail"


def test_a_number_that_the_model_has_to_know_stays(tmp_path):
    path = tmp_path / "scaled.py"
    path.write_text(SCALED % "round(s)")
    operation = BenchmarkOperation(str(path))
    assert [one[0] for one in operation.inputs] == ["A"]
    operation.gate(type(operation.reference), cases=12, **DECLARED).raise_for_failure()


NETWORK = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 512, 3), nn.BatchNorm2d(512), nn.ReLU(),
                                  nn.Conv2d(512, 512, 3, groups=512), nn.AdaptiveAvgPool2d(1))
        self.head = nn.Sequential(nn.Linear(512, 1024), nn.Linear(1024, classes))

    def forward(self, x):
        return self.head(torch.flatten(self.body(x), 1))

batch, classes = 8, 1000

def get_inputs():
    return [torch.rand(batch, 3, 224, 224)]

def get_init_inputs():
    return [classes]
"""


def test_layers_whose_widths_no_size_makes_smaller_are_narrow(tmp_path):
    path = tmp_path / "network.py"
    path.write_text(NETWORK)
    operation = BenchmarkOperation(str(path))
    shapes = {of: tuple(one.shape) for of, one in operation.reference.named_parameters()}
    assert operation.file.narrowing.factor == 8 and shapes["body.0.weight"] == (64, 3, 3, 3)
    assert shapes["body.3.weight"] == (64, 1, 3, 3) and torch.nn.Linear(512, 3).in_features == 512
    assert "512 is also the width of a layer" in operation._refused({**operation.usual_extents(), "classes": 512})
    kernel = type(operation.reference)
    options = dict(cases=4, filter="^outputs$", reach="none", **DECLARED)
    operation.gate(kernel, **options).raise_for_failure()
    no_bias = model_new(operation, lambda self, x: self.head(torch.flatten(self.body(x), 1)) - self.head[1].bias)
    assert operation.gate(no_bias, **options)["outputs"].verdict == "fail"


def files(tmp_path, new):
    (tmp_path / "reference.py").write_text(PROBLEMS["loss"])
    (tmp_path / "new.py").write_text(PROBLEMS["loss"].replace("class Model(", "class ModelNew(").replace("smooth_l1_loss", new))
    return [str(tmp_path / "reference.py"), str(tmp_path / "new.py")]


def said(capsys, arguments):
    status = kernelbench(arguments)
    return status, json.loads(capsys.readouterr().out.strip().splitlines()[-1])


def test_the_command_ends_with_0_for_a_right_answer(tmp_path, capsys):
    status, line = said(capsys, [*files(tmp_path, "smooth_l1_loss"), "--cases", "12"])
    assert (status, line["verdict"]) == (0, "pass") and 0 < line["share_of_bound"] <= 1


def test_the_command_ends_with_1_and_its_case_can_be_replayed(tmp_path, capsys):
    paths = files(tmp_path, "mse_loss")
    status, line = said(capsys, [*paths, "--cases", "12", "--json"])
    assert (status, line["verdict"], line["property"]) == (1, "fail", "outputs")
    assert (
        line["case"]["index"] == [0]
        and line["case"]["expected"] != line["case"]["got"]
        and line["case"]["sizes"] == {"batch_size": 1, "input_shape": 1}
    )
    words = line["replay"].split("--replay ")[1].strip("'")
    assert kernelbench([*paths, "--replay", words]) == 1
    assert kernelbench([paths[0], files(tmp_path, "smooth_l1_loss")[1], "--replay", words]) == 0


@pytest.mark.parametrize("text, expected", [("x = 1", "has no Model"), (PROBLEMS["loss"], "has no class ModelNew")])
def test_a_file_of_another_form_is_refused(tmp_path, capsys, text, expected):
    reference, new = files(tmp_path, "smooth_l1_loss")
    path = tmp_path / "other.py"
    path.write_text(text)
    with pytest.raises(SystemExit) as ended:
        kernelbench([str(path), new] if "Model" in expected and "New" not in expected else [reference, str(path)])
    assert ended.value.code == 2 and expected in capsys.readouterr().err


def test_a_file_that_ends_its_process_is_an_error_that_says_so(tmp_path, capsys):
    reference, new = files(tmp_path, "l1_loss")
    with open(new, "w") as file:
        file.write("import os\nos._exit(0)\n")
    assert kernelbench([reference, new, "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["verdict"] == "error" and "ended its process: status 0, as by os._exit(0)" in said["advice"]


def test_the_launcher_knows_the_command(tmp_path):
    paths = files(tmp_path, "l1_loss")
    ended = subprocess.run(
        [sys.executable, "-m", "assay", "kernelbench", *paths, "--cases", "4", "--json"], capture_output=True, text=True
    )
    assert ended.returncode == 1 and json.loads(ended.stdout)["verdict"] == "fail"


def test_equal_sizes_are_varied_apart(tmp_path):
    path = tmp_path / "problem.py"
    path.write_text(PROBLEMS["convolution"])
    file = BenchmarkFile(str(path))
    assert [tuple(one.shape) for one in file.load({"height": 5, "width": 7, "batch_size": 2}).inputs()] == [(2, 32, 5, 7)]


def test_the_case_has_its_sizes_also_where_it_is_in_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = "operation=Model property=outputs seed=1 N=2 D=3 layout=0 x=1,2,3,4,5,6"
    for line in (words, f"operation=Model property=outputs {shortened(words)}"):
        failure = SimpleNamespace(reproducer=line, explanation="output[0, 1]\n  exact    1\n  rounded  1\n  got      2")
        assert case_of(failure, ["N", "D"]) == {
            "sizes": {"N": 2, "D": 3}, "output": "output", "index": [0, 1], "expected": "1", "got": "2"}  # fmt: skip
    wrong = SimpleNamespace(reproducer=words, explanation="output[0, 0]\n  got 0, where the value is 1")
    assert case_of(wrong, ["N"])["error"] == "output[0, 0] got 0, where the value is 1"
