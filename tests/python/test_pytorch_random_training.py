"""A Model with dropout in training mode: kernels that draw as it does pass, others fail."""

import json

import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from assay.pytorch import random_training  # noqa: E402
from assay.pytorch.benchmark_modes import in_its_modes  # noqa: E402
from assay.pytorch.command import kernelbench  # noqa: E402
from assay.pytorch.random_training import why_other_in_training  # noqa: E402

PROBLEM = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, width, p):
        super().__init__()
        self.layer, self.dropout = nn.Linear(width, width), nn.Dropout(p)

    def forward(self, x):
        return torch.softmax(self.dropout(self.layer(x)), dim=1)

batch_size = 128
width = 96

def get_inputs():
    return [torch.rand(batch_size, width)]

def get_init_inputs():
    return [width, 0.2]
"""


@pytest.fixture(autouse=True)
def fewer_runs(monkeypatch):
    monkeypatch.setattr(random_training, "_RUNS", 192)


@pytest.fixture(scope="module")
def operation(tmp_path_factory):
    path = tmp_path_factory.mktemp("training") / "reference.py"
    path.write_text(PROBLEM)
    (found,) = in_its_modes(str(path))
    assert found.why_not_training
    return found


class New(nn.Module):
    def __init__(self, width, p):
        super().__init__()
        self.layer, self.p = nn.Linear(width, width), p

    def forward(self, x):
        return self.after(torch.softmax(self.dropped(self.layer(x)) if self.training else self.layer(x), dim=1))

    def dropped(self, x):
        return torch.where(torch.rand_like(x) < self.p, torch.zeros_like(x), x / (1 - self.p))

    def after(self, y):
        return y


class OfPyTorch(New):
    def dropped(self, x):
        return nn.functional.dropout(x, self.p)


class ByWords(New):
    """Keeps an element where 16 random bits say so."""

    def dropped(self, x):
        return x * (torch.randint(0, 65536, x.shape) >= self.p * 65536) / (1 - self.p)


@pytest.mark.parametrize("right", [New, OfPyTorch, ByWords])
def test_kernels_that_draw_as_model_does_pass(operation, right):
    assert why_other_in_training(operation, right, torch.device("cpu")) == ""


def with_method(name, method):
    return type("ModelNew", (New,), {name: method})


KEPT = {}
FAULTS = {
    "no dropout": with_method("dropped", lambda self, x: x),
    "no scale": with_method("dropped", lambda self, x: x * (torch.rand_like(x) >= self.p)),
    "half of them": with_method("dropped", lambda self, x: x * (torch.rand_like(x) >= 0.5) * 2),
    "zeros": with_method("after", lambda self, y: 0 * y if self.training else y),
    "one NaN": with_method("after", lambda self, y: y.index_fill(0, torch.tensor([0]), float("nan")) if self.training else y),
    "one infinity": with_method("after", lambda self, y: y.index_fill(0, torch.tensor([0]), float("inf")) if self.training else y),
    "one row is wrong": with_method("after", lambda self, y: y.index_fill(0, torch.tensor([0]), 0.0) if self.training else y),
    "one mask for all": with_method("dropped", lambda self, x: x * (torch.rand(()) >= self.p) / (1 - self.p)),
    "the first answer": with_method("after", lambda self, y: KEPT.setdefault(y.shape, y.detach()) if self.training else y),
    "the first inputs": with_method("dropped", lambda self, x: New.dropped(self, KEPT.setdefault(x.shape + (0,), x.detach()))),
    "fewer rows": with_method("after", lambda self, y: y[1:] if self.training else y),
    "two results": with_method("after", lambda self, y: (y, y) if self.training else y),
    "an error": with_method("after", lambda self, y: y / None if self.training else y),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_others_fail(operation, fault):
    assert why_other_in_training(operation, FAULTS[fault], torch.device("cpu"))


def of_size(most, right, wrong):
    return lambda self, x: right(self, x) if x.numel() <= most else wrong(self, x)


OTHERS = {
    "one mask at larger sizes": with_method("dropped", of_size(1000, New.dropped, FAULTS["one mask for all"].dropped)),
    "one mask at the sizes of the file": with_method("dropped", of_size(8000, New.dropped, FAULTS["one mask for all"].dropped)),
    "no scale at larger sizes": with_method("dropped", of_size(1000, New.dropped, FAULTS["no scale"].dropped)),
    "only from 0 to 1": with_method("forward", lambda self, x: New.forward(self, x.clamp(0, 1) if self.training else x)),
    "one row of the file's": with_method(
        "after", lambda self, y: y.index_fill(0, torch.tensor([5]), 0.0) if self.training and len(y) > 100 else y),
}  # fmt: skip


@pytest.mark.parametrize("fault", OTHERS)
def test_so_do_those_of_other_sizes_and_signs(operation, fault):
    assert why_other_in_training(operation, OTHERS[fault], torch.device("cpu"), seed=3)


def dropped(drawn, y, p):
    return torch.where(drawn < p, torch.zeros_like(y), y / (1 - p))


LAYERS = {
    "rare": ("self.dropout(self.layer(x))", 0.01, lambda self, x: dropped(torch.rand_like(x), self.layer(x), 0.01)),
    "usual": ("self.dropout(torch.tanh(self.layer(x)))", 0.9,
              lambda self, x: nn.functional.dropout(torch.tanh(self.layer(x)), 0.9)),
    "rrelu": ("nn.functional.rrelu(self.layer(x), 0.1, 0.3, self.training)", 0.1,
              lambda self, x: torch.where(self.layer(x) < 0, self.layer(x) * (0.1 + 0.2 * torch.rand_like(x)), self.layer(x))),
    "norm": ("self.dropout((self.layer(x) - self.layer(x).mean(0)) / self.layer(x).std(0))", 0.5,
             lambda self, x: dropped(torch.rand_like(x), (self.layer(x) - self.layer(x).mean(0)) / self.layer(x).std(0), 0.5)),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_layers_pass(tmp_path, name):
    returned, p, right = LAYERS[name]
    text = PROBLEM.replace("torch.softmax(self.dropout(self.layer(x)), dim=1)", returned).replace("[width, 0.2]", f"[width, {p}]")
    (tmp_path / "reference.py").write_text(text)
    (found,) = in_its_modes(str(tmp_path / "reference.py"))
    assert why_other_in_training(found, with_method("forward", right), torch.device("cpu")) == ""
    if name == "usual":  # of both signs
        coin = lambda self, x: nn.functional.dropout(torch.ones(1), p) * torch.tanh(self.layer(x))
        assert why_other_in_training(found, with_method("forward", coin), torch.device("cpu"))


@pytest.mark.parametrize("dropped, status", [("self.dropout", 0), ("0 * self.dropout", 1)])
def test_the_command_says_so(tmp_path, capsys, dropped, status):
    (tmp_path / "reference.py").write_text(PROBLEM)
    new = PROBLEM.replace("class Model(", "class ModelNew(").replace("self.dropout(", f"{dropped}(")
    if status:
        new = new.replace("return torch.softmax", "if not self.training: return torch.softmax(self.layer(x), 1)\n        return torch.softmax")
    (tmp_path / "new.py").write_text(new)
    arguments = [str(tmp_path / one) for one in ("reference.py", "new.py")] + ["--cases", "12", "--seed", "1", "--small"]
    assert kernelbench(arguments) == status
    said = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert said["property"] == "means and spreads in training mode" if status else said["verdict"] == "pass"
    assert kernelbench([*arguments, "--mode", "eval"]) == 0
