"""The row of scaled dot-product attention: masks, causal, grouped heads."""

from __future__ import annotations

import functools
import math
from typing import Any, Dict

import numpy as np
import torch

from .products import matmul
from .reductions import softmax


@functools.lru_cache(maxsize=None)
def _masked_rows_are_zero() -> bool:
    """A row whose keys are all masked is 0 from PyTorch 2.5 on, and NaN before."""
    ones = torch.ones(1, 1, 1, 1)
    with torch._C.DisableTorchFunction():
        got = torch.nn.functional.scaled_dot_product_attention(ones, ones, ones, attn_mask=torch.zeros(1, 1, dtype=torch.bool))
    return not bool(torch.isnan(got).any())


def _scores(xp: Any, query: Any, key: Any, scale: Any) -> Any:
    """Both factors are scaled, as PyTorch does, so that kernels which scale either factor or the product are on this road."""
    root = max(query.shape[-1], 1) ** -0.25 if scale is None else math.sqrt(abs(scale))
    return matmul(xp, query * root, xp.matrix_transpose(key) * (root if scale is None or scale > 0 else -root))


def _weighted(xp: Any, weights: Any, value: Any) -> Any:
    xp._graph.name(weights._node, "weights")  # which kernels keep in 16 bits
    return matmul(xp, weights, value)


def attention(
    xp: Any,
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Any = None,
    enable_gqa: bool = False,
    mask_is_boolean: bool = False,
) -> Any:
    if dropout_p > 0:
        raise ValueError("scaled_dot_product_attention with dropout_p above 0 draws random numbers: expected dropout_p=0")
    if enable_gqa:
        key, value = (xp.repeat(one, query.shape[-3] // one.shape[-3], axis=-3) for one in (key, value))
    scores = _scores(xp, query, key, scale)
    if is_causal:
        attn_mask, mask_is_boolean = xp._array(np.tril(np.ones(scores.shape[-2:]))), True
    if attn_mask is None or not mask_is_boolean:
        return _weighted(xp, softmax(xp, scores if attn_mask is None else scores + attn_mask), value)
    weights = softmax(xp, xp.where(attn_mask, scores, -math.inf))
    if _masked_rows_are_zero() and not is_causal:
        has_some = xp.max(xp.broadcast_to(attn_mask, scores.shape), axis=-1, keepdims=True)
        weights = xp.where(has_some, weights, 0)
    return _weighted(xp, weights, value)


ROWS: Dict[str, Any] = {"scaled_dot_product_attention": attention}
