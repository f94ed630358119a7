"""The functions of assay.numpy, assay.torch, assay.jax and assay.mlx as kernels, which the gate judges like a stranger's.

A function whose signature is not that of a kernel, a function of one problem, may carry one: `assay_kernel`; and
`assay_declared`, the keywords of assay.gate that declare it.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

from ._options import CceOptions, CtcOptions, options_in

_LOSS: Dict[str, Any] = dict(dtype=("float32", "float16", "bfloat16"), reductions=("none", "sum", "mean"), upstream=True)

DECLARED: Dict[str, Dict[str, Any]] = {
    "ctc": dict(
        _LOSS,
        arithmetic="probability",
        random_rounding=True,
        batch_invariant=True,
        inputs="log_probs",
        gradient_of="log_probs",
        layouts=("padded", "concatenated"),
        zero_infinity=True,
    ),
    "cce": dict(
        _LOSS,
        sum_roundoff=2.0**-53,
        bfloat16_roundings=2,
        bias=True,
        logit_softcap=True,
        label_smoothing=True,
        z_loss=True,
    ),
    "svd": dict(
        dtype=("float32", "float64", "float16", "bfloat16"),
        graded=True,
        canonical_signs=True,
        exact_scaling=True,
        same_values=True,
        batch_invariant=True,
    ),
}


# f and the arrays it is called with -> f(*arrays), and what returns the gradients in them for dL/df, an array of NumPy.
Vjp = Callable[[Callable[..., Any], Sequence[Any]], Tuple[Any, Callable[[np.ndarray], Sequence[Any]]]]


def kernels(
    ctc_loss: Any, linear_cross_entropy: Any, svd: Any, array: Callable[[np.ndarray], Any], vjp: Vjp
) -> Dict[str, Callable[[Any], Any]]:
    """Functions of one problem, by operation, of functions with the signatures of assay.torch, assay.jax and assay.mlx.
    `array` makes an array of the framework; one of 16-bit integers, or of ml_dtypes.bfloat16, becomes one of bfloat16."""

    def with_gradients(p: Any, f: Callable[..., Any], arrays: Sequence[np.ndarray]) -> Tuple[Any, ...]:
        given = [array(one) for one in arrays]
        if not p.gradient_wanted:
            return (f(*given), *[None] * len(given))
        loss, gradients = vjp(f, given)
        shape = tuple(loss.shape)
        upstream = np.ones(shape, np.float32) if p.upstream is None else p.upstream
        if upstream.size != np.prod(shape):  # an array of another shape is the framework's to refuse
            raise ValueError(f"upstream has {upstream.size} elements: expected {np.prod(shape)}")
        return (loss, *gradients(upstream.reshape(shape)))

    def of_ctc(p: Any) -> Tuple[Any, ...]:
        def f(x: Any) -> Any:
            return ctc_loss(x, *map(array, (p.targets, p.input_lengths, p.target_lengths)), **options_in(p, CtcOptions))

        return with_gradients(p, f, [p.activations])

    def of_cce(p: Any) -> Tuple[Any, ...]:
        def f(hidden: Any, weight: Any, bias: Any = None) -> Any:
            return linear_cross_entropy(hidden, weight, array(p.targets), bias, **options_in(p, CceOptions))

        return with_gradients(p, f, [p.hidden, p.weight] if p.bias is None else [p.hidden, p.weight, p.bias])

    return {"ctc": of_ctc, "cce": of_cce, "svd": lambda p: tuple(svd(array(p.A)))}


_own: List[Any] = []


def is_own(fn: Any) -> bool:
    return any(one is fn for one in _own)


def judged_as(operation: str, fn: Any, kernel: Callable[[Any], Any], **declared: Any) -> None:
    """assay.gate(operation, fn) judges `kernel`; `declared` holds the differences from DECLARED.

    The gate calls CTC's first argument activations, for logits and log_probs alike.
    """

    def renamed(p: Any) -> Any:
        try:
            return kernel(p)
        except ValueError as error:
            raise ValueError(re.sub("^(logits|log_probs)", "activations", str(error))) from error

    _own.append(fn)
    fn.assay_kernel, fn.assay_declared = renamed, {**DECLARED[operation], **declared}
