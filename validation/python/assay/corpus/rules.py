"""The rules by which others accept a kernel, each as its project's source has it, in float64 on the numbers of each result.

A rule takes the tries of one kernel: for each, the results, those of eager mode in the kernel's type, and the reference's in
float64. Comparisons are written as their sources write them, so that NaN fails or passes as there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, List, Sequence

import numpy as np

from .narrow import rounded

Arrays = Sequence[np.ndarray]


@dataclass(frozen=True)
class Try:
    """One kernel on one input."""

    got: Arrays
    eager: Arrays
    reference: Arrays
    dtypes: Sequence[str]  # of the results


@dataclass(frozen=True)
class Rule:
    """`accepts(tries, controls)`: the controls are a right kernel's tries on other inputs, for a rule that calibrates."""

    name: str
    source: str
    tries: int  # inputs of the author's shape
    accepts: Callable[[List[Try], List[Try]], bool]


def allclose(got: np.ndarray, expected: np.ndarray, rtol: float, atol: float) -> bool:
    """torch.allclose: infinities must be equal, and a NaN is equal to nothing."""
    if got.shape != expected.shape:
        return False
    close = np.abs(got - expected) <= atol + rtol * np.abs(expected)
    return bool(np.all((got == expected) | (np.isfinite(expected) & close)))


def _torch_defaults(tries: List[Try], _: List[Try]) -> bool:
    return all(allclose(got, eager, 1e-5, 1e-8) for one in tries for got, eager in zip(one.got, one.eager))


def _kernelbench(tries: List[Try], _: List[Try]) -> bool:
    def tolerance(dtype: str) -> float:
        return 1e-4 if dtype == "float32" else 1e-2

    return all(allclose(got, eager, tolerance(dtype), tolerance(dtype))
               for one in tries for got, eager, dtype in zip(one.got, one.eager, one.dtypes))  # fmt: skip


def _largest(x: np.ndarray) -> float:
    return float(np.max(x, initial=0.0))


def _same_specials(got: np.ndarray, golden: np.ndarray) -> bool:
    kinds: Sequence[Callable[[np.ndarray], np.ndarray]] = (np.isnan, np.isposinf, np.isneginf)
    return all(np.array_equal(kind(got), kind(golden)) for kind in kinds)


def _titan_accepts(got: np.ndarray, eager: np.ndarray, golden: np.ndarray, dtype: str) -> bool:
    """Where eager mode itself is more than 10 % off, the rule says INCONCLUSIVE, which is no failure."""
    stored = rounded(golden, dtype).astype(np.float64)
    if got.shape != golden.shape or not _same_specials(got, stored):
        return False
    finite = np.isfinite(stored)
    got, eager, golden, stored = got[finite], eager[finite], golden[finite], stored[finite]
    reference_error, floor = _largest(np.abs(eager - golden)), _largest(np.abs(stored - golden))
    if not reference_error <= 0.1 * max(_largest(np.abs(golden)), floor):
        return True
    return _largest(np.abs(got - golden)) <= 2 * reference_error + floor


def _torchtitan(tries: List[Try], _: List[Try]) -> bool:
    return all(_titan_accepts(*four) for one in tries for four in zip(one.got, one.eager, one.reference, one.dtypes))


def _largest_error(one: Try, k: int) -> float:
    if one.got[k].shape != one.reference[k].shape or not np.all(np.isfinite(one.got[k])):
        return np.inf
    return _largest(np.abs(one.got[k] - one.reference[k]))


def _calibrated(tries: List[Try], controls: List[Try]) -> bool:
    """The tolerance of each result is 1.5 times the 95th percentile of the controls that pass a tolerance chosen by hand."""
    for k, dtype in enumerate(tries[0].dtypes):
        by_hand = 1e-4 if dtype == "float32" else 5e-2
        passing = sorted(error for error in (_largest_error(one, k) for one in controls) if error <= by_hand)
        tolerance = 1.5 * passing[round(0.95 * (len(passing) - 1))] if passing else by_hand
        if any(_largest_error(one, k) > tolerance for one in tries):
            return False
    return True


def _flashinfer_accepts(got: np.ndarray, reference: np.ndarray) -> bool:
    if got.shape != reference.shape or not np.all(np.isfinite(got)):
        return False
    error = np.abs(got - reference)
    return not np.any((error > 1e-2) & (error / (np.abs(reference) + 1e-8) > 1e-2))


def _flashinfer(tries: List[Try], _: List[Try]) -> bool:
    return all(_flashinfer_accepts(got, eager) for one in tries for got, eager in zip(one.got, one.eager))


def _flash_accepts(got: np.ndarray, eager: np.ndarray, reference: np.ndarray, dtype: str) -> bool:
    if got.shape != reference.shape:
        return False
    stored = rounded(reference, dtype)
    room = 2 * np.max(np.abs(rounded(rounded(stored + 0.3, dtype) - 0.3, dtype) - stored), initial=0.0)
    largest = np.max(np.abs(got - reference), initial=0.0)
    return bool(largest <= 2 * np.max(np.abs(eager - reference), initial=0.0) + room)


def _flash_attention(tries: List[Try], _: List[Try]) -> bool:
    return all(_flash_accepts(*four) for one in tries for four in zip(one.got, one.eager, one.reference, one.dtypes))


RULES = (
    Rule("torch.allclose, defaults", "PyTorch: rtol 1e-5, atol 1e-8, to eager mode", 1, _torch_defaults),
    Rule("KernelBench", "ScalingIntelligence/KernelBench@423217d9 src/kernelbench/eval.py", 5, _kernelbench),
    Rule("torchtitan", "pytorch/torchtitan@c988cc9a .claude/skills/kernel-numerics-verifier/SKILL.md", 1, _torchtitan),
    Rule("gpuemu, calibrated", "sarkar-dipankar/gpuemu-corpus@9f93e7f8 analysis/p2_calibrate.py", 1, _calibrated),
    Rule("FlashInfer-Bench", "flashinfer-ai/flashinfer-bench@40e6ca78 flashinfer_bench/bench/utils.py", 3, _flashinfer),
    Rule("2 x eager, float64", "Dao-AILab/flash-attention@008e6366 tests/cute/test_flash_attn.py", 1, _flash_attention),
)
CONTROLS = 20  # inputs of the author's shape on which a rule calibrates
