"""Assay tells the author of a numerical kernel whether it is right, by how much it is off, where, and why.

    import assay
    print(assay.gate("ctc", my_ctc))  # a function of one problem that returns (loss, gradient)

gate         judges a kernel of "ctc", "cce" (linear cross-entropy) or "svd" by an any-precision reference
operation    makes an operation of a formula or a PyTorch function: gate, gradients, bounds, cases and mutants follow
replay       judges it once more on the case of a failure
reference    ctc, cce, svd: loss, gradients and factors to as many digits as are asked for
steps        alpha, both betas, sweeps: what lies between a formula and its result, in any number format
explain      which sub-expressions of a formula, or lines of a Metal kernel, lose digits or make the first NaN
gradcheck    judges the gradient of any differentiable function
diagnose     what is wrong with a CTC batch whose loss is inf or NaN
metal        Metal kernels on NumPy arrays, every access checked
pytest_gate  a test for each property, in one line of a test file
numpy        the production kernels for CPUs: CTC, linear cross-entropy, the SVD
torch        the same with autograd; patch_torch puts them into an existing program
jax, mlx     the same for these frameworks

docs/python.md of the project says more.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _declare as declare
from . import metal, reference, steps
from ._built import require_numpy as _require_numpy
from ._core import Real, precision, precision_digits
from ._diagnose import Diagnosis, RowDiagnosis, Symptom, diagnose
from ._explain import Explanation, explain
from ._gate import JudgeError, gate, property_names, replay
from ._gate_result import Failure, GateResult, PropertyResult
from ._gradcheck import GradcheckResult, gradcheck
from ._operation import Operation
from ._references import operation
from ._pipe import Unsupported
from ._problems import CceProblem, CtcProblem, SvdProblem
from ._traced import NotTraceable

_require_numpy()

if TYPE_CHECKING:
    from . import gallery as gallery
    from . import jax as jax
    from . import mlx as mlx
    from . import numpy as numpy
    from . import torch as torch
    from ._pytest_gate import pytest_gate
    from .torch import patch_torch as patch_torch

__all__ = [
    "CceProblem",
    "CtcProblem",
    "Diagnosis",
    "Explanation",
    "Failure",
    "GateResult",
    "GradcheckResult",
    "JudgeError",
    "NotTraceable",
    "Operation",
    "PropertyResult",
    "Real",
    "RowDiagnosis",
    "SvdProblem",
    "Symptom",
    "Unsupported",
    "declare",
    "diagnose",
    "explain",
    "gate",
    "gradcheck",
    "metal",
    "operation",
    "precision",
    "precision_digits",
    "property_names",
    "pytest_gate",
    "reference",
    "replay",
    "steps",
]


_LATER = {name: name for name in ("gallery", "jax", "mlx", "numpy", "torch")}  # name -> the module that has it, or is it
_LATER.update(patch_torch="torch", pytest_gate="_pytest_gate")


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    module = importlib.import_module(f".{_LATER[name]}", __name__)  # its library need not be there for the rest
    return module if name == _LATER[name] else getattr(module, name)
