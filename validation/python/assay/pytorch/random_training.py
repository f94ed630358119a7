"""ModelNew in training mode where Model draws random numbers, as one with dropout does: no element has a bound there, but over
many runs, each from another seed, the results of both have the same means and spreads."""

from __future__ import annotations

import copy
from typing import Any, List

import numpy as np
import torch

from .._called import KernelEnded, called
from .._file_kernel import loaded
from .._own_process import arrays_of
from .calls import parameters_like, set_parameters
from .kernelbench import BenchmarkOperation
from .trace import _outputs

_RUNS = 512
_FAR = 4.5  # standard errors of a mean, as a root of the mean square over elements
_WIDER = 4.0  # times the variance; dropout's rare zeros make its estimate rough
_SAME = 1e-3  # of a result's size: less is rounding


def _runs(operation: BenchmarkOperation, kernel: Any, device: torch.device) -> List[np.ndarray]:
    """The results of each run in a row, of Model for None."""
    made = operation.file.load(operation.base)
    model = made.model(None if kernel is None else loaded(kernel)).train().to(device)
    given = [copy.deepcopy(one) for one in made.given()]
    reference = dict(made.model().named_parameters())
    set_parameters(
        parameters_like(model, {name: one.shape for name, one in reference.items()}),
        {name: one.detach().to(device) for name, one in reference.items()},
    )
    found: List[List[np.ndarray]] = []
    for seed in range(_RUNS):
        torch.manual_seed(1000 + seed + (_RUNS if kernel is not None else 0))
        own = [one.clone().to(device) if isinstance(one, torch.Tensor) else one for one in given]
        results = _outputs(copy.deepcopy(model)(*own))
        found.append([torch.as_tensor(one).detach().cpu().double().numpy().ravel() for one in results])
    return [np.stack(one) for one in zip(*found)]


def _compared(got: np.ndarray, due: np.ndarray) -> str:
    if got.shape != due.shape:
        return f"gives {got.shape[1]} elements, where Model gives {due.shape[1]}"
    if not np.array_equal(np.isfinite(got).all(0), np.isfinite(due).all(0)):
        return "gives NaN or infinity where Model gives numbers, or the reverse"
    usual = np.isfinite(due).all(0)
    got, due = got[:, usual], due[:, usual]
    size = float(np.sqrt(np.mean(due * due))) if due.size else 0.0
    off = got.mean(0) - due.mean(0)
    spread, own = due.var(0).sum(), got.var(0).sum()
    standard_error = np.sqrt((due.var(0) + got.var(0)) / _RUNS) + _SAME * size
    far = float(np.sqrt(np.mean((off / standard_error) ** 2))) if size > 0 else float(np.abs(off).max(initial=0) * np.inf)
    if not far <= _FAR:
        return f"has means over {_RUNS} runs that are {far:.3g} standard errors from Model's: expected at most {_FAR:g}"
    ratio = own / spread if spread > 0 else 1.0
    if not 1 / _WIDER <= ratio <= _WIDER:
        return f"varies over {_RUNS} runs by {ratio:.3g} times Model's variance: expected {1 / _WIDER:g} to {_WIDER:g}"
    return ""


def why_other_in_training(operation: BenchmarkOperation, kernel: Any, device: torch.device) -> str:
    """What is wrong with ModelNew in training mode, in words that follow its name; "" of one that behaves as Model does."""
    due = _runs(operation, None, device)
    try:
        got = arrays_of(lambda: _runs(operation, kernel, device)) if device.type == "cpu" else called(_runs, operation, kernel, device)
    except KernelEnded as error:
        return f"ends: {error}"
    except Exception as error:
        return f"raises {type(error).__name__}: {error}"
    if len(got) != len(due):
        return f"gives {len(got)} results, where Model gives {len(due)}"
    return next((why for why in map(_compared, got, due) if why), "")
