"""notebooks/training/train.py: with assay's losses and with PyTorch's a model learns the same; a wrong loss shows."""

import functools
import sys

import pytest
from conftest import NOTEBOOKS

torch = pytest.importorskip("torch")
sys.path.insert(0, str(NOTEBOOKS / "training"))

import train  # noqa: E402


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(train.Language, "VOCABULARY", 5000)
    monkeypatch.setattr(train.Language, "TOKENS", 64)
    monkeypatch.setattr(train.Language, "optimizer", functools.partial(torch.optim.SGD, lr=1.0))


def losses(task, kernels, steps=20):
    return train.train(task, kernels, steps, threads=1)["losses"]


@pytest.mark.parametrize("task", train.TASKS)
def test_they_learn_the_same(task):
    ours = losses(task, "assay")
    assert ours == pytest.approx(losses(task, "pytorch"), rel=1e-4)
    assert ours[-1] < ours[0]


def test_a_gradient_that_is_twice_as_long_would_show(monkeypatch):
    theirs = losses("language", "pytorch")
    monkeypatch.setattr(train.Language, "loss", lambda self, loss=train.Language.loss: 2 * loss(self))
    assert losses("language", "assay")[1] / 2 != pytest.approx(theirs[1], rel=1e-4)


def test_the_command_prints_both(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["train.py", "recogniser", "--steps", "2"])
    train.main()
    printed = capsys.readouterr().out
    assert "| 2 |" in printed and "ms a step" in printed and "MiB, PyTorch" in printed
