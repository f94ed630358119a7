"""Derivatives of thin factors A = U diag(S) Vh in PyTorch's own operations, in double: on GPUs, in forward mode, and where the
result needs derivatives itself. metal/cpu/svd/gradient.h has the derivation; terms that would divide by zero are taken as 0.
"""

from __future__ import annotations

from typing import Any, Tuple

import torch

Factors = Tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def gradient(U: torch.Tensor, S: torch.Tensor, Vh: torch.Tensor, dU: Any, dS: Any, dVh: Any) -> torch.Tensor:
    """dA of (dU, dS, dVh), each None where it is 0."""
    like = U
    U, S, Vh = map(_double, (U, S, Vh))
    dU = torch.zeros_like(U) if dU is None else _double(dU)
    dVh = torch.zeros_like(Vh) if dVh is None else _double(dVh)
    P, Q = U.mT @ dU, Vh @ dVh.mT
    p, q, column, row = P - P.mT, Q - Q.mT, S.unsqueeze(-2), S.unsqueeze(-1)
    X = (_over(p + q, column - row) + _over(p - q, column + row)) / 2
    if dS is not None:
        X = X + torch.diag_embed(_double(dS))
    dA = U @ X @ Vh
    if U.shape[-2] > U.shape[-1]:
        dA = dA + _over(dU - U @ P, column) @ Vh
    if Vh.shape[-1] > Vh.shape[-2]:
        dA = dA + U @ _over(dVh - Q.mT @ Vh, row)
    return dA.to(like.device, like.dtype)


def tangents(U: torch.Tensor, S: torch.Tensor, Vh: torch.Tensor, dA: torch.Tensor) -> Factors:
    """Those of U, S and Vh of the tangent dA."""
    given = (U, S, Vh)
    U, S, Vh, dA = map(_double, (U, S, Vh, dA))
    P, column, row = U.mT @ dA @ Vh.mT, S.unsqueeze(-2), S.unsqueeze(-1)
    symmetric, skew = _over(P + P.mT, column - row) / 2, _over(P - P.mT, column + row) / 2
    dU, dVh = U @ (symmetric + skew), (skew - symmetric) @ Vh
    if U.shape[-2] > U.shape[-1]:
        dU = dU + _over(dA @ Vh.mT - U @ P, column)
    if Vh.shape[-1] > Vh.shape[-2]:
        dVh = dVh + _over(U.mT @ dA - P @ Vh, row)
    dS = P.diagonal(dim1=-2, dim2=-1)
    dU, dS, dVh = (one.to(like.device, like.dtype) for one, like in zip((dU, dS, dVh), given))
    return dU, dS, dVh


def _double(tensor: torch.Tensor) -> torch.Tensor:
    return (tensor.cpu() if tensor.device.type == "mps" else tensor).double()  # Apple's GPUs have none


def _over(numerator: torch.Tensor, divisor: torch.Tensor) -> torch.Tensor:
    """numerator / divisor, 0 where that divides by zero; so are its derivatives there."""
    is_zero = divisor == 0
    return (numerator / divisor.masked_fill(is_zero, 1)).masked_fill(is_zero, 0)
