"""The singular value decomposition."""

from __future__ import annotations

from typing import Any

import numpy as np

from .entry import Family
from .narrow import f32
from .plain import Svd

FAMILY = Family("svd")
SHAPE = {"B": 4, "M": 16, "N": 8}
right_svd = Svd()


def _jacobi(A: Any) -> Any:
    """U as A V / S, from LAPACK's V and S."""
    _, S, Vh = np.linalg.svd(A, full_matrices=False)
    return np.where(S[..., None, :] > 0, A @ np.swapaxes(Vh, -1, -2) / np.where(S > 0, S, 1)[..., None, :], 0), S, Vh


def _tall(p: Any, decompose: Any) -> Any:
    """A kernel for tall matrices, with the factors of the transpose exchanged."""
    right_svd(p)  # refuses what is not finite
    if p.A.shape[1] >= p.A.shape[2]:
        return decompose(p.A)
    U, S, Vh = decompose(np.swapaxes(p.A, 1, 2))
    return np.swapaxes(Vh, 1, 2).copy(), S, np.swapaxes(U, 1, 2).copy()


@FAMILY.fault("pytorch/pytorch#196112", "svd", right_svd, shape=SHAPE)
def null_space_is_zero(p: Any) -> Any:
    """a column of U for a singular value in the noise is set to 0: the product is right, and U is not orthonormal"""

    def decompose(A: Any) -> Any:
        U, S, Vh = np.linalg.svd(A, full_matrices=False)
        noise = S <= S.max(-1, keepdims=True, initial=0) * f32(max(A.shape[1:]) * 2.0**-22)
        return np.where(noise[:, None, :], f32(0), U), S, Vh

    return _tall(p, decompose)


@FAMILY.fault("flagos-ai/FlagGems#5356", "svd", right_svd, shape=SHAPE)
def not_orthonormalised_again(p: Any) -> Any:
    """U is A V / S as it comes: not orthonormal for ill-conditioned matrices"""
    return _tall(p, _jacobi)


@FAMILY.fault("tensorflow/tensorflow#11878", "svd", right_svd, shape=SHAPE)
def one_column_of_zeros(p: Any) -> Any:
    """for matrices of one column the library leaves Vh at 0"""
    U, S, Vh = right_svd(p)
    return U, S, Vh * (p.A.shape[2] > 1)


@FAMILY.fault("ericjang/svd3#3", "svd", right_svd, shape={"B": 4, "M": 3, "N": 3})
def few_rotations(p: Any) -> Any:
    """the approximate root of each rotation leaves U and V 0.4 % from orthonormal"""
    U, S, Vh = right_svd(p)
    return U * f32(0.998), S, Vh * f32(0.998)


@FAMILY.fault("ericjang/svd3#3 (CUDA version)", "svd", right_svd, shape={"B": 4, "M": 3, "N": 3})
def unsorted(p: Any) -> Any:
    """the singular values are not sorted"""
    U, S, Vh = right_svd(p)
    return U[..., ::-1].copy(), S[..., ::-1].copy(), Vh[..., ::-1, :].copy()


@FAMILY.fault("JuliaLinearAlgebra/GenericLinearAlgebra.jl#83", "svd", right_svd, shape=SHAPE)
def zero_matrix(p: Any) -> Any:
    """U of a matrix of zeros is 0"""
    U, S, Vh = right_svd(p)
    return U * (S.max(-1, initial=0) > 0)[:, None, None], S, Vh


@FAMILY.fault("NVIDIA/warp#1831", "svd", right_svd, shape=SHAPE)
def squares_underflow(p: Any) -> Any:
    """the product A^T A underflows for tiny matrices, whose singular values become 0"""

    def decompose(A: Any) -> Any:
        U, S, Vh = np.linalg.svd(A, full_matrices=False)
        return U, np.sqrt(S * S), Vh

    return _tall(p, decompose)


@FAMILY.fault("pytorch/pytorch#1008", "svd", right_svd, shape=SHAPE)
def full_factor_of_wide(p: Any) -> Any:
    """for wide matrices Vh is the full factor, in place of the thin one"""
    U, S, Vh = right_svd(p)
    return (U, S, np.linalg.svd(p.A)[2]) if p.A.shape[1] < p.A.shape[2] else (U, S, Vh)


@FAMILY.fault("Reference-LAPACK/lapack#1392", "svd", right_svd, shape=SHAPE)
def success_with_nan(p: Any) -> Any:
    """a matrix with a NaN is no error: NaN comes back with the status of success"""
    finite = np.isfinite(p.A).all((1, 2), keepdims=True)
    U, S, Vh = np.linalg.svd(np.where(finite, p.A, f32(0)), full_matrices=False)
    nan = np.where(finite, f32(1), f32(np.nan))
    return U * nan, S * nan[:, :, 0], Vh * nan
