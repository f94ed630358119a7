"""The problems that a kernel is given, and what it returns for them (reference/{ctc,cce,svd}/problem.h).

The problem of an operation is the class of its name: of "ctc", CtcProblem.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Callable, Dict, Optional, Sequence

import numpy as np

from ._arrays import Carried, carry_result
from ._file_kernel import attribute_of
from ._pipe import ReturnedWrong, Solve


@dataclass(frozen=True)
class CtcProblem:
    """One batch of T frames, B rows, C classes with blank. A kernel returns (loss, gradient).

    loss is [B] for reduction "none", else a scalar; gradient is [T, B, C]; both of the type of the activations, or
    float32. -ln p per row; dL/dlogits or dL/dlog_probs as `gradient_of` says, times `upstream` where there is one.
    """

    activations: np.ndarray  # [T, B, C]: logits or log_probs
    input: str  # "logits" or "log_probs": what the activations are
    targets: np.ndarray  # int64 [B, S] padded, or [sum of target_lengths] concatenated
    input_lengths: np.ndarray  # int64 [B]
    target_lengths: np.ndarray  # int64 [B]
    upstream: Optional[np.ndarray]  # float32 [B] for reduction "none", else [1]: dL/dloss; None means ones
    blank: int
    gradient_of: str  # "logits" or "log_probs"
    layout: str  # of the targets: "padded" or "concatenated"
    reduction: str  # "none", "sum" or "mean": of losses over max(target_lengths[b], 1), and over B
    zero_infinity: bool  # a row without any alignment has loss and gradient 0, not inf and NaN
    gradient_wanted: bool  # else the gradient may be left out: return (loss, None)
    threads: int  # 0: the kernel's own choice

    @property
    def logits(self) -> np.ndarray:
        """The activations where they are logits; AttributeError where they are log-probabilities."""
        return self._activations("logits")

    @property
    def log_probs(self) -> np.ndarray:
        """The activations where they are log-probabilities; AttributeError where they are logits."""
        return self._activations("log_probs")

    def _activations(self, name: str) -> np.ndarray:
        if self.input != name:
            raise AttributeError(f"the problem has no {name}: its activations are {self.input}")
        return self.activations


@dataclass(frozen=True)
class CceProblem:
    """N tokens, H hidden size, V vocabulary; logits = hidden @ weight.T + bias.

    A kernel returns (loss, dhidden, dweight), and dbias as well where there is a bias: loss is float32 [N] for
    reduction "none", else a scalar; each gradient has the shape and type of its array.
    """

    hidden: np.ndarray  # [N, H]
    weight: np.ndarray  # [V, H]
    bias: Optional[np.ndarray]  # [V]; -inf takes an entry out of the vocabulary
    targets: np.ndarray  # int64 [N], in [0, V) or ignore_index
    upstream: Optional[np.ndarray]  # float32 [N] for reduction "none", else [1]: dL/dloss; None means ones
    ignore_index: int
    logit_softcap: float  # logits are cap tanh(logits / cap); 0: none
    label_smoothing: float
    z_loss: float  # times the square of the log-sum-exp
    reduction: str  # "none", "sum" or "mean": over tokens that are not ignored
    gradient_wanted: bool  # else the gradients may be None
    threads: int


@dataclass(frozen=True)
class SvdProblem:
    """B matrices of M rows and N columns, K = min(M, N): A = U diag(S) Vh.

    A kernel returns (U, S, Vh): U [B, M, K] and Vh [B, K, N] of the type of A, S [B, K] float64 where A is, else
    float32, descending.
    """

    A: np.ndarray  # [B, M, N]
    vectors_wanted: bool  # else U and Vh may be None
    threads: int


def _stated(operation: str, given: Dict[str, Any]) -> Any:
    """The problem of a call: an array that has not come is None, and a float has come as text."""
    problem = globals()[f"{operation.capitalize()}Problem"]
    for field in fields(problem):
        value = given.setdefault(field.name, None)
        given[field.name] = float(value) if field.type == "float" and value is not None else value
    return problem(**given)


def _packed(names: Sequence[str], due: Sequence[str], returned: Any, is_bfloat16: bool) -> Dict[str, Carried]:
    """The results of a kernel by name; in a bfloat16 problem, uint16 are bits. Raises ReturnedWrong."""
    if len(names) == 1 and not isinstance(returned, (tuple, list)):
        returned = (returned,)
    if not isinstance(returned, (tuple, list)) or len(returned) != len(names):
        got = f"{len(returned)} results" if isinstance(returned, (tuple, list)) else type(returned).__name__
        raise ReturnedWrong(f"the kernel returned {got}: expected ({', '.join(names)})")
    packed = {}
    for name, value in zip(names, returned):
        if value is None and name not in due:
            continue
        try:
            packed[name] = carry_result(value)
        except TypeError as error:
            raise ReturnedWrong(f"{name}: {error}") from error
        if is_bfloat16 and packed[name].dtype == "uint16":
            packed[name] = packed[name]._replace(dtype="bfloat16")
    return packed


def solver(operation: str, fn: Callable[[Any], Any]) -> Solve:
    """`fn`, a function of one problem or what carries one (_own_kernels.py), as what answers the judge's calls."""
    kernel = attribute_of(fn, "__dict__", {}).get("assay_kernel", fn)

    def solve(header: Dict[str, Any], arrays: Dict[str, np.ndarray]) -> Dict[str, Carried]:
        names, due, is_bfloat16 = header.pop("results"), header.pop("due"), header.pop("bfloat16", False)
        return _packed(names, due, kernel(_stated(operation, {**header, **arrays})), is_bfloat16)

    return solve
