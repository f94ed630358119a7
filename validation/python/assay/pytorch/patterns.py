"""What the wrong elements of a kernel have in common on one case of usual numbers, and what to do about it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np
import torch

from .._own_process import arrays_of
from .calls import TorchKernel


class Pattern(NamedTuple):
    text: str
    advice: str


_ADVICE = {
    "zero": "Check that the kernel is launched over all elements and writes to the tensor that is returned.",
    "input": "The kernel returns its input: compute the result.",
    "nan": "Look for a division by 0, a logarithm of 0 or an overflow of exp: subtract the maximum, add epsilon inside the root.",
    "factor": "A constant factor is missing or twice there: a mean divided by another count, a scale, a smoothing factor.",
    "offset": "A constant is missing or twice there: a bias, an epsilon.",
    "transposed": "The result is transposed: swap the strides of the store.",
    "tail": "The last elements are wrong: mask the last block, whose size is no multiple of the tile.",
    "some": "Compare the kernel's indexing with the reference at the first wrong index.",
    "near": "The formula is nearly right: look at epsilon, tanh in place of erf, the accumulator's type, rounding to 16 bits.",
    "far": "Compare the kernel's formula with the reference line by line, at the sizes of the case.",
}


def pattern_of(ours: np.ndarray, exact: np.ndarray, bound: np.ndarray, inputs: Dict[str, np.ndarray]) -> Optional[Pattern]:
    """The pattern of one output; None where it is within its bounds."""
    wrong = ~(np.abs(ours - exact) <= bound)
    count = int(wrong.sum())
    if not count:
        return None
    found = _of_values(ours, exact, inputs) or _of_places(wrong)
    if found is None:
        size = float(np.max(np.abs(ours - exact)) / max(float(np.max(np.abs(exact))), 1e-30))
        found = "near" if size < 0.02 else "far", f"off by {size:.1e} of the largest element"
    return Pattern(f"{count} of {wrong.size} elements are wrong: {found[1]}", _ADVICE[found[0]])


def _of_values(ours: np.ndarray, exact: np.ndarray, inputs: Dict[str, np.ndarray]) -> Optional[Any]:
    if np.isnan(ours).any() and not np.isnan(exact).any():
        return "nan", f"{int(np.isnan(ours).sum())} are NaN"
    if not ours.any():
        return "zero", "all are 0"
    for name, one in inputs.items():
        if one.shape == ours.shape and np.array_equal(one, ours):
            return "input", f"the result is the input {name}"
    if ours.size > 1:
        ratio, difference = _constant(ours / np.where(exact == 0, np.nan, exact)), _constant(ours - exact)
        if ratio is not None:
            return "factor", f"each is {ratio:.6g} times what is due"
        if difference is not None:
            return "offset", f"each is off by {difference:.6g}"
        if (
            ours.ndim > 1
            and ours.shape[-1] == ours.shape[-2]
            and np.allclose(np.swapaxes(ours, -1, -2), exact, rtol=1e-4, atol=1e-5)
        ):
            return "transposed", "the last two axes are swapped"
    return None


def _constant(values: np.ndarray) -> Optional[float]:
    middle = float(np.nanmedian(values)) if np.isfinite(values).any() else np.nan
    return middle if np.allclose(values[np.isfinite(values)], middle, rtol=1e-4, atol=1e-9) and np.isfinite(middle) else None


def _of_places(wrong: np.ndarray) -> Optional[Any]:
    """Wrong along the end of an axis alone, or at some places alone."""
    for axis, size in enumerate(wrong.shape):
        at = np.flatnonzero(wrong.any(axis=tuple(k for k in range(wrong.ndim) if k != axis)))
        if 0 < len(at) < size and at[0] > 0 and at[-1] == size - 1 and len(at) == size - at[0]:
            return "tail", f"only at the last {len(at)} of {size} along axis {axis}"
    if wrong.mean() < 0.75:
        first = [int(one) for one in np.argwhere(wrong)[0]]
        return "some", f"first at {first}, the others right"
    return None


def pattern_on_a_case(operation: Any, kernel: Any) -> Optional[Pattern]:
    """The pattern on the case by which the trace was held against PyTorch."""
    extents = operation.usual_extents()
    tensors = operation.usual_tensors(extents)
    arrays = {name: one.numpy() for name, one in tensors.items()}
    truth = operation.truth(*arrays.values(), digits=20)
    shapes = operation.trace(extents).shapes
    narrow = {name: one.astype(np.float32) if one.dtype == np.float64 else one for name, one in arrays.items()}
    call = TorchKernel(operation, kernel, False, operation.calling)

    def results() -> List[Any]:
        with torch.no_grad():
            return [one.double() for one in call(SimpleNamespace(extents=extents, **narrow))]

    for got, texts, bound, shape in zip(arrays_of(results), truth["outputs"], truth["output_bounds"], shapes):
        if list(got.shape) != list(shape):
            return Pattern(
                f"the result has the shape {list(got.shape)}: expected {list(shape)}",
                "Return the shape that the reference returns.",
            )
        exact = np.array([float(text) for text in texts]).reshape(shape)
        found = pattern_of(got, exact, np.array(bound).reshape(shape), arrays)
        if found is not None:
            return found
    return None
