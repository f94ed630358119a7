"""Rows of products of matrices and of convolutions."""

from __future__ import annotations

import string
from typing import Any, Callable, Dict

import numpy as np

from .._convolution import product_of_windows, windows_of
from .._traced import NotTraceable
from .shapes import _padded


def _dot_general(xp: Any, eqn: Any, a: Any, b: Any) -> Any:
    (inner_a, inner_b), (batch_a, batch_b) = eqn.params["dimension_numbers"]
    a, b = xp._array(a), xp._array(b)
    of_a, of_b = list(string.ascii_lowercase[: a.ndim]), list(string.ascii_uppercase[: b.ndim])
    for k, m in [*zip(inner_a, inner_b), *zip(batch_a, batch_b)]:
        of_b[m] = of_a[k]
    result = [of_a[k] for k in batch_a]
    result += [one for k, one in enumerate(of_a) if k not in (*inner_a, *batch_a)]
    result += [one for m, one in enumerate(of_b) if m not in (*inner_b, *batch_b)]
    return xp.einsum(f"{''.join(of_a)},{''.join(of_b)}->{''.join(result)}", a, b)


def _convolution(xp: Any, eqn: Any, x: Any, weight: Any) -> Any:
    params, x, weight = eqn.params, xp._array(x), xp._array(weight)
    if params["batch_group_count"] != 1:
        raise NotTraceable("a convolution with batch_group_count above 1: expected 1")
    of_x, of_weight, of_result = params["dimension_numbers"]
    x, weight = xp.permute_dims(x, of_x), xp.permute_dims(weight, of_weight)
    n = weight.ndim - 2
    pads = [(low, high, spread - 1) for (low, high), spread in zip(params["padding"], params["lhs_dilation"] or (1,) * n)]
    wide = _padded(xp._positions(x), [(0, 0, 0), (0, 0, 0), *pads], x.size)
    windows = windows_of(wide, weight.shape[2:], params["window_strides"], params["rhs_dilation"] or (1,) * n)
    product = product_of_windows(xp, x, windows, weight, params["feature_group_count"])
    return xp.permute_dims(product, [int(one) for one in np.argsort(of_result)])


ROWS: Dict[str, Callable[..., Any]] = {"dot_general": _dot_general, "conv_general_dilated": _convolution}
