"""Products of matrices, dequantised ones among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._references import operation
from ..gallery import matmul
from .entry import Family
from .narrow import f32

FAMILY = Family("products")
SHAPE = {"M": 32, "K": 64, "N": 32}


@operation(x="M, G, 64", w="G, 64, N of index 16", scale="G, N", limits={"M": 5, "G": 9, "N": 17})
def int4_matmul(xp: Any, x: Any, w: Any, scale: Any) -> Any:
    """Weights of 4 bits in groups of 64, each group with a scale for each column."""
    return xp.sum(xp.matmul(xp.permute_dims(x, (1, 0, 2)), (w - 8) * scale[:, None]), axis=0)


@operation(x="K", w="N, K", exponent="N of index 16", limits={"N": 65, "K": 257})
def scaled_matvec(xp: Any, x: Any, w: Any, exponent: Any) -> Any:
    """Rows of weights with a scale that is a power of two, stored as its exponent and a bias of 7."""
    return xp.sum(w * x, axis=-1) * xp.exp2(exponent - 7)


def right_matmul(p: Any) -> Any:
    half = p.a.shape[1] // 2
    return p.a[:, :half] @ p.b[:half] + p.a[:, half:] @ p.b[half:]


def _int4(p: Any, scale: Any) -> Any:
    w = (p.w - 8).astype(f32) * scale[:, None]
    return np.tensordot(p.x, w, axes=((1, 2), (0, 1)))


def right_int4(p: Any) -> Any:
    return _int4(p, p.scale)


def right_matvec(p: Any) -> Any:
    return np.ldexp(p.w @ p.x, p.exponent - 7)


@FAMILY.fault("ml-explore/mlx#3854", matmul, right_matmul, shape=SHAPE)
def parts_shorter_than_the_tile(p: Any) -> Any:
    """split K into parts shorter than the tile of 32: each part reads on into the next one"""
    K = p.a.shape[1]
    parts = 4 if K in (16, 32, 48, 64, 96) and len(p.a) < 32 else 1
    size = K // parts
    return sum(p.a[:, at : at + max(32, size)] @ p.b[at : at + max(32, size)] for at in range(0, K, size))


@FAMILY.fault("sarkar-dipankar/gpuemu-corpus matmul_triton_buggy", matmul, right_matmul, shape=SHAPE)
def accumulator_overwritten(p: Any) -> Any:
    """each tile's product overwrites the sum: right for one tile"""
    return p.a[:, (p.a.shape[1] - 1) // 16 * 16 :] @ p.b[(p.a.shape[1] - 1) // 16 * 16 :]


@FAMILY.fault("helmholtz-analytics/heat#573", matmul, right_matmul, shape=SHAPE)
def one_inner_element_twice(p: Any) -> Any:
    """where the inner size is 1 a second loop adds the products again"""
    return p.a @ p.b * f32(2 if p.a.shape[1] == 1 else 1)


@FAMILY.fault("intel/torch-xpu-ops#5001", int4_matmul, right_int4, shape={"M": 4, "G": 1, "N": 16})
def scale_of_the_first_group(p: Any) -> Any:
    """32 / 64 is divided first: the scale is that of group 0 for every group"""
    return _int4(p, np.broadcast_to(p.scale[:1], p.scale.shape))


@FAMILY.fault("ml-explore/mlx#3762", scaled_matvec, right_matvec, shape={"N": 64, "K": 64})
def raw_scale_of_few_rows(p: Any) -> Any:
    """with fewer than 8 rows the stored exponent is taken for the scale"""
    return (p.w @ p.x) * p.exponent.astype(f32) if len(p.w) < 8 else right_matvec(p)
