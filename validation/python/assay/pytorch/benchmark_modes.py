"""The modes in which ModelNew is judged: KernelBench calls neither eval() nor no_grad(), users do."""

from __future__ import annotations

import copy
from typing import List

import torch

from .._traced import NotTraceable
from .kernelbench import BenchmarkOperation
from .trace import _outputs

MODES = ("training", "eval")


def is_same_in_training(operation: BenchmarkOperation) -> bool:
    """Whether Model computes in training mode what it computes in eval mode, as one without dropout and batch norm does."""
    found = []
    for is_training in (True, False):
        model = copy.deepcopy(operation.module_at(operation.base)).train(is_training)
        given = [copy.deepcopy(one.value) for one in operation.file.load(operation.base).inputs()]
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(3)
            found.append([torch.as_tensor(one) for one in _outputs(model(*given))])
    return all(one.shape == other.shape and bool(((one == other) | ((one != one) & (other != other))).all())
               for one, other in zip(*found))  # fmt: skip


def in_its_modes(path: str, only: str = "") -> List[BenchmarkOperation]:
    """The operations by which ModelNew is judged in turn: one where both modes are the same function. A Model that cannot be traced
    in training mode, since it draws random numbers, is judged in eval mode, and the operation says why."""
    evaluated = BenchmarkOperation(path)
    if is_same_in_training(evaluated):
        evaluated.trains_kernels = evaluated.also_evaluates = True
        return [evaluated]
    try:
        both = [BenchmarkOperation(path, is_training=True), evaluated]
    except NotTraceable as error:
        evaluated.why_not_training = str(error)
        both = [evaluated]
    return [one for one in both if only in ("", one.mode())] or both[-1:]
