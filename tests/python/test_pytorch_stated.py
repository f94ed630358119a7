"""The sizes that a problem states: right answers pass, faults that small sizes do not show fail, what has no bound says so."""

import json
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pytorch_problems import PROBLEMS  # noqa: E402

from assay.pytorch.command import kernelbench, stated_text, with_stated  # noqa: E402
from assay.pytorch.feasible import weight_of, why_not  # noqa: E402
from assay.pytorch.kernelbench import BenchmarkOperation  # noqa: E402
from assay.pytorch.stated import judged_at_stated_sizes  # noqa: E402

CPU = torch.device("cpu")
SHRUNK = {"linear": {"1024": "256", "8192": "512", "4096": "384"}, "convolution": {"= 16, 32, 64": "= 4, 8, 24", "= 128": "= 96"}}


@pytest.fixture(scope="module")
def operation_of(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("stated"), {}

    def of(name):
        if name not in made:
            text = PROBLEMS[name]
            for old, new in SHRUNK[name].items():
                text = text.replace(old, new)
            (folder / f"{name}.py").write_text(text)
            made[name] = BenchmarkOperation(str(folder / f"{name}.py"))
        return made[name]

    return of


def model_new(operation, forward):
    return type(
        "ModelNew",
        (type(operation.reference),),
        {"forward": lambda self, x: forward(self, type(self).__base__.forward(self, x), x)},
    )


def by_parts(self, y, x):
    """The same in two halves of the batch."""
    half = len(x) // 2
    return torch.cat([type(self).__base__.forward(self, one) for one in (x[:half], x[half:])])


def changed(at, change):
    def forward(self, y, x):
        if len(x) > 3 and y.numel() > 90_000:  # only at large sizes
            y = y.clone()
            y[at] = change(y[at])
        return y

    return forward


@pytest.mark.parametrize("name", SHRUNK)
@pytest.mark.parametrize("forward", [lambda self, y, x: y, by_parts, changed((0,), lambda y: y)])
def test_right_answers_pass(operation_of, name, forward):
    operation = operation_of(name)
    found = judged_at_stated_sizes(operation, model_new(operation, forward), CPU)
    assert found.verdict == "pass" and found.judged > 100 and 0 < found.share < 1 and found.difference < 1e-5, found
    assert "pass" in stated_text(found)


ONE = {"linear": (170, 201), "convolution": (3, 7, 50, 61)}
FAULTS = {
    "one element is off": (lambda y: y + 0.02, True),
    "one element is NaN": (lambda y: y * float("nan"), False),
    "one element is infinite": (lambda y: y / 0, False),
    "one element is minus itself": (lambda y: -y - 0.02, None),
}


@pytest.mark.parametrize("name", SHRUNK)
@pytest.mark.parametrize("fault", FAULTS)
def test_one_wrong_element_at_the_stated_sizes_fails(operation_of, name, fault):
    operation = operation_of(name)
    change, is_judged = FAULTS[fault]
    found = judged_at_stated_sizes(operation, model_new(operation, changed(ONE[name], change)), CPU)
    assert found.verdict == "fail" and found.case["sizes"] == operation.file.sizes, found
    assert not is_judged or found.case["index"] == list(ONE[name])


@pytest.mark.parametrize("forward, text", [
    (changed((slice(None),), lambda y: y * 0), "off by 1 of the result's size"),
    (changed((slice(None),), lambda y: y * 1.001), "exact"),
    (lambda self, y, x: y[:3] if len(x) > 3 and y.numel() > 90_000 else y, "the results have the shapes"),
    (lambda self, y, x: y.view(7, -1), "the kernel raised RuntimeError"),
])  # fmt: skip
def test_other_faults_at_the_stated_sizes_fail(operation_of, forward, text):
    operation = operation_of("linear")
    found = judged_at_stated_sizes(operation, model_new(operation, forward), CPU)
    assert found.verdict == "fail" and text in found.text
    said = with_stated({"verdict": "pass"}, found)
    assert said["verdict"] == "fail" and said["stated_sizes"]["verdict"] == "fail" and said["advice"]


def test_a_result_of_too_many_terms_is_compared_and_has_no_bound(tmp_path):
    path = tmp_path / "loss.py"
    path.write_text(PROBLEMS["loss"].replace(".mean(dim=1)", ".mean()").replace("32768", "4096"))
    operation = BenchmarkOperation(str(path))
    found = judged_at_stated_sizes(operation, type(operation.reference), CPU)
    assert (found.verdict, found.judged, found.elements) == ("not judged", 0, 1) and "terms" in found.text
    assert "no bound" in stated_text(found) and with_stated({}, found)["stated_sizes"]["why"] == found.text
    zero = type(
        "ModelNew", (type(operation.reference),), {"forward": lambda self, *given: 0 * type(self).__base__.forward(self, *given)}
    )
    assert judged_at_stated_sizes(operation, zero, CPU).verdict == "fail"


WIDE = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(25, 768), nn.Linear(768, 768)

    def forward(self, x):
        return self.two(torch.relu(self.one(x))).square().square()

batch_size = 48

def get_inputs():
    return [torch.rand(batch_size, 25)]

def get_init_inputs():
    return []
"""


@pytest.fixture(scope="module")
def wide_operation(tmp_path_factory):
    path = tmp_path_factory.mktemp("wide") / "wide.py"
    path.write_text(WIDE)
    return BenchmarkOperation(str(path))


def one_by_one(layer, x):
    """A sum in float32 from its first term to its last."""
    y = layer.bias.expand(len(x), -1)
    for k in range(x.shape[1]):
        y = y + x[:, k : k + 1] * layer.weight[:, k]
    return y


def in_double(layer, x):
    return torch.nn.functional.linear(x.double(), layer.weight.double(), layer.bias.double()).float()


def of_sixteen_bits(layer, x):
    return torch.nn.functional.linear(x, layer.weight.bfloat16().float(), layer.bias)


def by_layers(layer):
    def forward(self, y, x):
        return layer(self.two, torch.relu(layer(self.one, x))).square().square()

    return forward


@pytest.mark.parametrize("layer", [one_by_one, in_double])
def test_right_layers_that_are_narrow_at_small_sizes_pass(wide_operation, layer):
    found = judged_at_stated_sizes(wide_operation, model_new(wide_operation, by_layers(layer)), CPU)
    assert (found.verdict, found.judged, found.elements) == ("not judged", 0, 48 * 768) and found.difference < 1e-5, found


@pytest.mark.parametrize("forward, text", [
    (lambda self, y, x: y * 1.001, "off by 0.001 of the result's size on average"),
    (lambda self, y, x: torch.where(y < y.max() / 12, torch.zeros_like(y), y), "on average"),
    (by_layers(of_sixteen_bits), "on average"),
    (lambda self, y, x: y if x.mean() < 0.45 else y + 0.2 * y.max(), "of the result's size, where"),
    (lambda self, y, x: y if x.mean() > 0.45 else 0 * y, "with each row of the inputs times a number from 1/4 to 1"),
    (lambda self, y, x: y if x.mean() > 0.45 else y / None, "to 1: the kernel raised TypeError"),
])  # fmt: skip
def test_wrong_layers_that_are_narrow_at_small_sizes_fail(wide_operation, forward, text):
    found = judged_at_stated_sizes(wide_operation, model_new(wide_operation, forward), CPU)
    assert found.verdict == "fail" and text in found.text, found


def of_many_terms(tmp_path, result, draw):
    path = tmp_path / "many.py"
    path.write_text(WIDE.split("    def __init__")[0] + f"""
    def forward(self, x):
        return {result}

batch_size = 2

def get_inputs():
    return [{draw.replace("SHAPE", "batch_size, 5_000_000")}]

def get_init_inputs():
    return []
""")  # fmt: skip
    return BenchmarkOperation(str(path))


def test_a_constant_is_no_sum_of_millions_of_exponentials(tmp_path):
    operation = of_many_terms(tmp_path, "torch.logsumexp(x, dim=1)", "torch.randn(SHAPE)")
    one_by_one = model_new(operation, lambda self, y, x: torch.from_numpy(np.log(np.cumsum(np.exp(x.numpy()), 1)[:, -1])))
    assert judged_at_stated_sizes(operation, one_by_one, CPU).verdict == "not judged"
    constant = model_new(operation, lambda self, y, x: 0 * y + math.log(x.shape[1]) + 0.5)
    found = judged_at_stated_sizes(operation, constant, CPU)
    assert found.verdict == "fail" and "times a number from 1/4" in found.text, found


def test_noise_is_mistrusted_where_pytorch_gives_noise_itself(tmp_path):
    operation = of_many_terms(tmp_path, "(x * x).mean(dim=1) - x.mean(dim=1) ** 2", "torch.randn(SHAPE) + 3000.0")
    noise = model_new(operation, lambda self, y, x: torch.tensor([3.0, -2.0]))
    found = judged_at_stated_sizes(operation, noise, CPU)
    assert found.verdict == "mistrusted" and "and PyTorch's Model by" in found.text, found
    in_double = model_new(operation, lambda self, y, x: x.double().var(1, unbiased=False).float())
    assert judged_at_stated_sizes(operation, in_double, CPU).verdict == "not judged"


def test_what_cannot_be_run_here_says_so(tmp_path):
    path = tmp_path / "large.py"
    path.write_text(PROBLEMS["linear"].replace("8192", "1000000").replace("4096", "1000000"))
    operation = BenchmarkOperation(str(path))
    assert any(why in why_not(weight_of(operation), CPU) for why in ("GB in float64", "did not end"))  # before PyTorch 2.1
    found = judged_at_stated_sizes(operation, type(operation.reference), CPU)
    assert found.verdict == "mistrusted" and found.elements == 0
    said = with_stated({"verdict": "pass"}, found)
    assert said["verdict"] == "mistrusted" and "--small" in said["advice"] and "mistrusted" in stated_text(found)


def test_the_command_judges_the_stated_sizes_last(tmp_path, capsys):
    text = PROBLEMS["loss"]
    (tmp_path / "reference.py").write_text(text)
    new = text.replace("class Model(", "class ModelNew(").replace(
        "return torch", "return (1 if len(targets) < 5000 else 2) * torch"
    )
    (tmp_path / "new.py").write_text(new)
    paths = [str(tmp_path / "reference.py"), str(tmp_path / "new.py"), "--cases", "4", "--json"]
    status = kernelbench(paths)
    line = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert status == 1 and (line["verdict"], line["property"]) == ("fail", "outputs at the sizes of the file"), line
