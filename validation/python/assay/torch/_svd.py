"""The SVD for PyTorch."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import torch

from .. import _kernel_calls as calls
from ..numpy import Svd
from . import _autocast, _define, _gpu, _svd_formula, _transforms
from ._define import array_of, carried, expect_floats, tensor_of
from ._svd_formula import Factors


def _tensors(A: torch.Tensor, factors: Any) -> Factors:
    U, S, Vh = factors
    return tensor_of(U, A.dtype), torch.from_numpy(S), tensor_of(Vh, A.dtype)


def _compute(A: torch.Tensor) -> Factors:
    if _gpu.computes(A):
        return _gpu.svd(A)
    return _tensors(A, calls.svd(carried(A), True, torch.get_num_threads()))


def _fake_factors(A: torch.Tensor, K: int) -> Factors:
    B, M, N = A.shape
    S = A.new_empty((B, K), dtype=torch.float64 if A.dtype == torch.float64 else torch.float32)
    return A.new_empty((B, M, K)), S, A.new_empty((B, K, N))


def _setup_context(ctx: Any, inputs: Tuple[torch.Tensor, ...], output: Factors) -> None:
    ctx.save_for_backward(*output)
    ctx.set_materialize_grads(False)  # a derivative of zeros costs as much as another


def _backward(ctx: Any, *cotangents: Optional[torch.Tensor]) -> Optional[torch.Tensor]:
    given = [one for one in cotangents if one is not None]
    if not given:
        return None
    has_derivatives = torch.is_grad_enabled() or _transforms.is_batched_gradient(given[0])  # create_graph, torch.func
    return (_svd_formula.gradient if has_derivatives else _svd_backward)(*ctx.saved_tensors, *cotangents)


def _compute_backward(U: torch.Tensor, S: torch.Tensor, Vh: torch.Tensor, *cotangents: Any) -> torch.Tensor:
    if U.is_cuda:
        return _svd_formula.gradient(U, S, Vh, *cotangents)
    given = [None if one is None else array_of(one.cpu()) for one in cotangents]  # Apple's GPUs have no double
    dA = calls.svd_gradient([carried(one.cpu()) for one in (U, S, Vh)], given, torch.get_num_threads())
    return tensor_of(dA, U.dtype).to(U.device)


def _compute_randomized(A: torch.Tensor, rank: int, oversampling: int, power_iterations: int, seed: int) -> Factors:
    factors = calls.randomized_svd(carried(A), rank, oversampling, power_iterations, seed, torch.get_num_threads())
    return _tensors(A, factors)


def _save_for_rules(ctx: Any, inputs: Tuple[torch.Tensor, ...], output: Factors) -> None:
    _setup_context(ctx, inputs, output)
    ctx.save_for_forward(*output)


def _tangents(ctx: Any, dA: Optional[torch.Tensor]) -> Any:
    if dA is None:
        return (None,) * 3
    U, S, Vh = ctx.saved_tensors
    return _svd_formula.tangents(U, S, Vh, dA)


_svd: Any  # below
_as_one_batch = _transforms.as_one_batch(lambda *inputs: _svd(*inputs))
_no_gradient = _transforms.refusing("randomized_svd", "gradient", "call it on A.detach(), or use assay.torch.svd")
_svd_backward = _define.define(
    "svd_backward",
    "(Tensor U, Tensor S, Tensor Vh, Tensor? dU, Tensor? dS, Tensor? dVh) -> Tensor",
    _compute_backward,
    lambda U, S, Vh, *_: U.new_empty((U.shape[0], U.shape[1], Vh.shape[2])),
    _transforms.refusing("svd", "second derivative here", "call backward with create_graph"),
    transformed=lambda operator: _svd_formula.gradient,
)
_svd = _define.define(
    "svd",
    "(Tensor A) -> (Tensor, Tensor, Tensor)",
    _compute,
    lambda A: _fake_factors(A, min(A.shape[1:])),
    _backward,
    _setup_context,
    transformed=lambda operator: _transforms.ruled("svd", operator, _save_for_rules, _backward, _tangents, _as_one_batch),
    vmap=_as_one_batch,
)
_randomized_svd = _define.define(
    "randomized_svd",
    "(Tensor A, int rank, int oversampling, int power_iterations, int seed) -> (Tensor, Tensor, Tensor)",
    _compute_randomized,
    lambda A, rank, *_: _fake_factors(A, rank),
    _no_gradient,
    transformed=lambda operator: _transforms.ruled("randomized_svd", operator, None, _no_gradient, _no_gradient),
)


def _matrices(A: torch.Tensor, devices: Sequence[str] = ("cpu",)) -> torch.Tensor:
    """As [B, M, N]."""
    A = _autocast.float32(A)
    on_gpu = isinstance(A, torch.Tensor) and _gpu.computes(A)
    expect_floats("A", A, calls.LOSS_DTYPES if on_gpu else calls.SVD_DTYPES, devices)
    if A.dim() < 2:
        raise ValueError(f"A has shape {list(A.shape)}: expected [..., M, N]")
    batch = 1
    for extent in A.shape[:-2]:
        batch = batch * extent
    return A.reshape(batch, *A.shape[-2:])


def _unflattened(factors: Factors, leading: torch.Size) -> Svd:
    return Svd(*(one.reshape(*leading, *one.shape[1:]) for one in factors))


def svd(A: torch.Tensor, full_matrices: bool = False) -> Svd:
    """(U, S, Vh) with A = U diag(S) Vh, of matrices [..., M, N], K = min(M, N): U [..., M, K], S [..., K], Vh [..., K, N].

    A is float32, float64, float16 or bfloat16; S is float64 where A is, else float32. The columns of U and the rows of Vh
    are orthonormal whatever the rank; of each column of U, the first of the elements of largest magnitude is positive, so
    that equal inputs have equal signs. Only thin factors are computed.

    The gradient exists where the result does not depend on signs, or on the choice of vectors for equal singular values;
    its terms that would divide by zero are taken as 0. There is no second derivative.

    >>> import torch
    >>> A = torch.tensor([[2.0, 0.0], [0.0, 1.0]], requires_grad=True)
    >>> svd(A).S.sum().backward()
    >>> A.grad  # of the nuclear norm: U Vh
    tensor([[1., 0.],
            [0., 1.]])
    """
    matrices = _matrices(A, _define.DEVICES)
    if full_matrices and A.shape[-1] != A.shape[-2]:
        raise ValueError(f"full_matrices = True for A of shape {list(A.shape)}: expected False, or a square matrix")
    return _unflattened(_svd(matrices), A.shape[:-2])


def randomized_svd(
    A: torch.Tensor, rank: int, *, oversampling: int = 10, power_iterations: int = 2, seed: int = 0
) -> Svd:
    """The `rank` largest singular triplets of A [..., M, N], nearly (Halko, Martinsson and Tropp 2011). Equal seeds give
    equal bits. It has no gradient, and says so in backward."""
    matrices = _matrices(A)
    asked = calls.sketch(A.shape, rank, oversampling, power_iterations, seed)
    return _unflattened(_randomized_svd(matrices, *asked), A.shape[:-2])
