"""Random inputs of an author's shape, as tests draw them: normal numbers, full lengths, no padding."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import numpy as np

from .._problems import CceProblem, CtcProblem, SvdProblem
from .entry import Entry

Random = np.random.Generator


def _ctc(rng: Random, shape: Dict[str, int], declared: Dict[str, Any]) -> CtcProblem:
    T, B, C, S = (shape[name] for name in "TBCS")
    logits = rng.standard_normal((T, B, C)).astype(np.float32)
    lengths = np.full(B, T), np.full(B, S)
    upstream = rng.standard_normal(B).astype(np.float32) if declared.get("upstream") else None
    return CtcProblem(logits, "logits", rng.integers(1, C, (B, S)), *lengths, upstream, 0, "logits", "padded", "none",
                      bool(declared.get("zero_infinity")), True, 0)  # fmt: skip


def _cce(rng: Random, shape: Dict[str, int], declared: Dict[str, Any]) -> CceProblem:
    N, H, V = (shape[name] for name in "NHV")
    hidden, weight = (rng.standard_normal(size).astype(np.float32) for size in ((N, H), (V, H)))
    bias = 0.02 * rng.standard_normal(V).astype(np.float32) if declared.get("bias") else None
    cap, smoothing = 30.0 * bool(declared.get("logit_softcap")), 0.1 * bool(declared.get("label_smoothing"))
    reduction = declared.get("reductions", "none")
    upstream = np.ones(N if reduction == "none" else 1, np.float32) if declared.get("upstream") else None
    return CceProblem(hidden, weight, bias, rng.integers(0, V, N), upstream, -100, cap, smoothing, 0.0, reduction, True, 0)


def _svd(rng: Random, shape: Dict[str, int], declared: Dict[str, Any]) -> SvdProblem:
    return SvdProblem(rng.standard_normal(tuple(shape[name] for name in "BMN")).astype(np.float32), True, 0)


_BUILT_IN: Dict[str, Callable[..., Any]] = {"ctc": _ctc, "cce": _cce, "svd": _svd}


def _array(rng: Random, kind: str, shape: Any, classes: int) -> np.ndarray:
    if kind == "flag":
        return rng.random(shape) < 0.5
    if kind == "index":
        return rng.integers(0, classes, shape)
    if kind == "real" or kind == "nonzero":
        return rng.standard_normal(shape).astype(np.float32)
    return (1 - rng.random(shape)).astype(np.float32)  # (0, 1]: "unit", "positive", "decay"


def _batch(entry: Entry, rng: Random) -> Dict[str, np.ndarray]:
    operation = entry.operation
    shapes = operation.shapes(entry.shape)
    batch = {name: _array(rng, kind, shape, entry.shape.get(of, int(of or 0) if of.isdigit() else 0))
             for (name, _, kind, of, _), shape in zip(operation.inputs, shapes)}  # fmt: skip
    if entry.is_gradient:
        for k, shape in enumerate(operation.trace(entry.shape).shapes):
            batch[f"upstream{k}"] = rng.standard_normal(tuple(shape)).astype(np.float32)
    return {**batch, **(entry.draw(rng, entry.shape) if entry.draw else {})}


def drawn(entry: Entry, count: int) -> List[Any]:
    """So many problems of the author's shape, as a kernel gets them."""
    problems: List[Any] = []
    for seed in range(count):
        rng = np.random.default_rng(seed)
        if isinstance(entry.operation, str):
            problems.append((entry.draw or _BUILT_IN[entry.operation])(rng, entry.shape, entry.declared))
            continue

        def record(p: Any) -> Any:
            problems.append(p)
            return entry.right(p)

        entry.gate(record, filter="^(outputs|gradient)$", cases=0, reach="none", input=_batch(entry, rng), own_process=False)
    return problems
