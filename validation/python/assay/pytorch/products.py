"""Rows of products of matrices and vectors."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .reductions import norm


def matmul(xp: Any, input: Any, other: Any) -> Any:
    """With vectors as torch.matmul takes them, and one product of matrices where the right one is shared by a batch."""
    if not input.ndim or not other.ndim:
        raise ValueError(f"matmul of shapes {list(input.shape)} and {list(other.shape)}: expected at least one axis each")
    if input.ndim == 1:
        return xp.reshape(
            matmul(xp, xp.expand_dims(input, 0), other), (*other.shape[:-2], *other.shape[-1:])[: max(other.ndim - 1, 0)]
        )
    if other.ndim == 1:
        return xp.reshape(matmul(xp, input, xp.expand_dims(other, 1)), input.shape[:-1])
    if other.ndim == 2 and input.ndim > 2:
        rows = int(np.prod(input.shape[:-1], dtype=np.int64))
        return xp.reshape(xp.matmul(xp.reshape(input, (rows, input.shape[-1])), other), (*input.shape[:-1], other.shape[-1]))
    return xp.matmul(input, other)


def linear(xp: Any, input: Any, weight: Any, bias: Any = None) -> Any:
    product = matmul(xp, input, weight if weight.ndim == 1 else xp.matrix_transpose(weight))
    return product if bias is None else product + bias


def _scaled(value: Any, factor: Any) -> Any:
    return value if factor == 1 else factor * value


def _add_product(xp: Any, input: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    product = _scaled(matmul(xp, a, b), alpha)
    return product if beta == 0 else _scaled(input, beta) + product


def _addbmm(xp: Any, input: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """The sum over the batch is a product of matrices whose inner axis is batch and inner together."""
    B, N, K = a.shape
    left = xp.reshape(xp.moveaxis(a, 0, 1), (N, B * K))
    return _add_product(xp, input, left, xp.reshape(b, (B * K, b.shape[-1])), beta, alpha)


def _dot(xp: Any, input: Any, other: Any) -> Any:
    return matmul(xp, input, other)


def _outer(xp: Any, input: Any, other: Any) -> Any:
    return xp.expand_dims(input, 1) * xp.expand_dims(other, 0)


def _einsum(xp: Any, equation: str, *operands: Any) -> Any:
    arrays = operands[0] if len(operands) == 1 and isinstance(operands[0], (tuple, list)) else operands
    return xp.einsum(equation.replace(" ", ""), *arrays)


def _tensordot_of_axes(xp: Any, a: Any, b: Any, dims_self: Any, dims_other: Any) -> Any:
    return xp.tensordot(a, b, axes=(tuple(dims_self), tuple(dims_other)))


def _inner(xp: Any, input: Any, other: Any) -> Any:
    return matmul(xp, input, other) if other.ndim < 2 else matmul(xp, input, xp.matrix_transpose(other))


def _bilinear(xp: Any, input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    K, I, J = weight.shape
    middle = matmul(xp, input1, xp.reshape(xp.moveaxis(weight, 0, 1), (I, K * J)))
    middle = xp.reshape(middle, (*input1.shape[:-1], K, J))
    product = xp.sum(middle * xp.expand_dims(input2, -2), axis=-1)
    return product if bias is None else product + bias


def _cdist(xp: Any, x1: Any, x2: Any, p: Any = 2.0, *_: Any, **__: Any) -> Any:
    return norm(xp, xp.expand_dims(x1, -2) - xp.expand_dims(x2, -3), p, -1)


def _pairwise_distance(xp: Any, x1: Any, x2: Any, p: Any = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    return norm(xp, x1 - x2 + eps, p, -1, keepdim)


def _cosine_similarity(xp: Any, x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """Each length is at least eps, as PyTorch has it."""
    lengths = [xp.maximum(xp.sqrt(xp.sum(one * one, axis=dim)), eps) for one in (x1, x2)]
    return xp.sum(x1 * x2, axis=dim) / (lengths[0] * lengths[1])


def _cross(xp: Any, input: Any, other: Any, dim: int = -1) -> Any:
    a, b = (xp.moveaxis(one, dim, 0) for one in (input, other))
    return xp.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], axis=dim)


def _trace(xp: Any, input: Any) -> Any:
    return xp.sum(xp._moved([input], np.diagonal(xp._positions(input))))


def _multi_dot(xp: Any, tensors: Any) -> Any:
    product = tensors[0]
    for one in tensors[1:]:
        product = matmul(xp, product, one)
    return product


ROWS: Dict[str, Any] = {
    **{name: matmul for name in ("matmul", "mm", "bmm", "mv", "__matmul__", "linalg_matmul")}, "dot": _dot, "vdot": _dot,
    "linear": linear,
    "addmm": _add_product, "addmv": _add_product, "baddbmm": _add_product, "addbmm": _addbmm,
    "addr": lambda xp, input, vec1, vec2, beta=1, alpha=1: _scaled(input, beta) + _scaled(_outer(xp, vec1, vec2), alpha),
    "outer": _outer, "ger": _outer, "inner": _inner, "einsum": _einsum, "tensordot": _tensordot_of_axes, "bilinear": _bilinear,
    "cdist": _cdist, "pairwise_distance": _pairwise_distance, "cosine_similarity": _cosine_similarity, "cross": _cross,
    "linalg_cross": _cross, "trace": _trace, "linalg_multi_dot": _multi_dot, "chain_matmul": lambda xp,
    *matrices: _multi_dot(xp, matrices),
    "_euclidean_dist": _cdist,
}  # fmt: skip
