"""Faults in released software: an emulation of each fault fails, right functions pass, and a table says so."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from assay import released  # noqa: E402
from assay._released_checkouts import attention, causal_attention, softmax, total  # noqa: E402
from assay._released_faults import _CAP, FAULTS  # noqa: E402
from assay._released_faults import (
    binary_cross_entropy,
    capped_cross_entropy,
    cross_entropy,
    group_norm,
    jensen_shannon,
)  # noqa: E402
from assay._released_faults import poly_norm, torch_group_norm  # noqa: E402

F = torch.nn.functional


class GradientIsTheInput(torch.autograd.Function):
    """The gradient is written over the logits, unless these were copied to be contiguous."""

    @staticmethod
    def forward(ctx, logits, target):
        gradient = logits.softmax(-1) - F.one_hot(target, logits.shape[1])
        ctx.save_for_backward(gradient if logits.stride(-1) == 1 else logits)
        return cross_entropy(logits, target)

    @staticmethod
    def backward(ctx, upstream):
        return upstream * ctx.saved_tensors[0], None


def capped_with_lanes(logits, target):
    """Rows are padded to a power of two with logits of -inf, which the cap makes -cap."""
    size = 1 << (logits.shape[1] - 1).bit_length()
    padded = torch.cat([logits, logits.new_full((len(logits), size - logits.shape[1]), -torch.inf)], 1)
    return capped_cross_entropy(padded, target)


def group_norm_of_squares(x, weight, bias):
    rows = x.reshape(x.shape[0], 2, -1)
    mean = rows.mean(-1, keepdim=True)
    variance = (rows * rows).mean(-1, keepdim=True) - mean * mean
    return ((rows - mean) * (variance + 2.0**-17).rsqrt()).reshape(x.shape) * weight[:, None] + bias[:, None]


def group_norm_two_passes(x, weight, bias):
    rows = x.float().reshape(x.shape[0], 2, -1)
    centred = rows - rows.mean(-1, keepdim=True)
    normed = centred * (centred.square().mean(-1, keepdim=True) + 2.0**-17).rsqrt()
    return (normed.reshape(x.shape) * weight.float()[:, None] + bias.float()[:, None]).to(x.dtype)


def group_norm_in_bfloat16(x, weight, bias):
    rows = x.reshape(x.shape[0], 2, -1)
    mean = rows.mean(-1, keepdim=True)
    return ((rows - mean) * ((rows - mean).square().mean(-1, keepdim=True) + 2.0**-17).rsqrt()).reshape(x.shape) * weight[
        :, None
    ] + bias[:, None]


def group_norm_in_float32(x, weight, bias):  # PyTorch 1.13's own has its statistics in bfloat16 on CPUs too
    return torch_group_norm(x.float(), weight.float(), bias.float()).to(x.dtype)


def divergence(x, y):
    middle = (0.5 * torch.exp(x) + 0.5 * torch.exp(y)).log()
    return (0.5 * torch.exp(y) * y + 0.5 * torch.exp(x) * x - 0.5 * (torch.exp(x) + torch.exp(y)) * middle).sum() / len(x)


def divergence_shifted(x, y):
    largest = torch.maximum(x, y)
    middle = largest + torch.log1p(torch.exp(-(x - y).abs())) - float(np.log(2))
    return (0.5 * torch.exp(y) * (y - middle) + 0.5 * torch.exp(x) * (x - middle)).sum(-1).mean()


class PolyNormRaises(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        return poly_norm(x, weight, bias)

    @staticmethod
    def backward(ctx, upstream):
        return upstream, upstream.new_zeros(3), upstream.new_zeros(())  # a bias of shape [1] has a gradient of shape [1]


def cumulative_in_bfloat16(x):
    total, found = x.new_zeros(x.shape[0]), []
    for k in range(x.shape[1]):
        total = total + x[:, k]
        found.append(total)
    return torch.stack(found, 1) if found else x.clone()


def standardize(p, squares):
    x, weight, upstream = (torch.tensor(one) for one in (p.x, p.weight, p.upstream))
    x.requires_grad_()
    mean = x.mean(-1, keepdim=True)
    variance = (x * x).mean(-1, keepdim=True) - mean * mean if squares else (x - mean).square().mean(-1, keepdim=True)
    normed = (x - mean) * (variance + 2.0**-17).rsqrt()
    (dx,) = torch.autograd.grad(normed, x, upstream * weight)
    dims = tuple(range(x.ndim - 1))
    return dx, (upstream * normed.detach()).sum(dims), upstream.sum(dims)


def softmax_ignoring_strides(x):
    return x.as_strided(x.shape, (x.stride(0), 1)).softmax(-1)


def scores(q, k, scale):
    return q.float() @ k.float().transpose(-1, -2) * scale


def later(q):
    return torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool).triu(1)


def attention_with_a_finite_mask(q, k, v):
    return ((scores(q, k, 1) + torch.where(later(q), -1e6 / 1.4427, 0.0)).softmax(-1) @ v.float()).to(v.dtype)


def attention_in_float32(q, k, v):
    return causal_attention(q.float(), k.float(), v.float()).to(v.dtype)


def attention_divided_last(q, k, v):
    s = scores(q, k, 1).masked_fill(later(q), -torch.inf)
    p = (s - s.amax(-1, keepdim=True)).exp()
    return ((p @ v.float()) / p.sum(-1, keepdim=True)).to(v.dtype)


def attention_of_whole_tiles(q, k, v):
    out = attention(q, k, v)
    return out if q.shape[-2] % 32 == 0 else out * torch.nan


# title: what is like the fault, and two right functions
EMULATED = {
    "cross_entropy, its gradient": (GradientIsTheInput.apply, cross_entropy,
                                    lambda x, t: -x.log_softmax(-1).gather(1, t[:, None]).sum()),
    "cross_entropy with soft cap": (capped_with_lanes, capped_cross_entropy,
                                    lambda x, t: -(_CAP * (x / _CAP).tanh()).log_softmax(-1).gather(1, t[:, None]).sum()),
    "group_norm": (group_norm_of_squares, group_norm, group_norm_two_passes),
    "jsd": (divergence, jensen_shannon, divergence_shifted),
    "poly_norm, its gradient": (PolyNormRaises.apply, poly_norm, lambda x, w, b: poly_norm(x, w, b) * 1),
    "binary_cross_entropy_with_logits": (lambda x, t: (1 - t) * x + (torch.log1p(torch.exp(-x.abs())) + torch.clamp(-x, min=0)),
                                         binary_cross_entropy, lambda x, t: torch.relu(x) - t * x + torch.exp(-x.abs()).log1p()),
    "group_norm in bfloat16": (group_norm_in_bfloat16, group_norm_in_float32, group_norm_two_passes),
    "cumsum in bfloat16": (cumulative_in_bfloat16, lambda x: x.cumsum(-1), lambda x: x.float().cumsum(-1).bfloat16()),
    "fused_softmax": (softmax_ignoring_strides, softmax, lambda x: (x - x.amax(-1, keepdim=True)).exp() / (
        x - x.amax(-1, keepdim=True)).exp().sum(-1, keepdim=True)),
    "triton_softmax": (softmax_ignoring_strides, softmax, lambda x: x.log_softmax(-1).exp()),
    "matmul in bfloat16": (lambda a, b: (a.float() @ b.float()).half().bfloat16(),
                           lambda a, b: (a.float() @ b.float()).bfloat16(),
                           lambda a, b: (a.float()[:, :, None] * b.float()[None]).sum(1).bfloat16()),
    "attention of the tutorial": (attention_with_a_finite_mask, attention_in_float32, attention_divided_last),
    "vectorsum": (lambda x: x.sum() + torch.full((), torch.nan), total, lambda x: x.flip(0).cumsum(0)[-1]),
    "attention": (attention_of_whole_tiles, attention,
                  lambda q, k, v: scores(q, k, q.shape[-1] ** -0.5).softmax(-1) @ v),
}  # fmt: skip


def fault_of(title):
    return next(one for one in released.ALL if one.title == title)


@pytest.mark.parametrize("title", EMULATED)
def test_a_function_with_this_fault_fails(title):
    result = released.judge_fault(fault_of(title), "cpu", 40, 1, EMULATED[title][0])
    assert not result.passed, str(result)
    assert released._lines(result)["verdict"] in ("fail", "error") and released._lines(result)["said"]


@pytest.mark.parametrize("title, k", [(title, k) for title in EMULATED for k in (1, 2)])
def test_right_functions_pass(title, k):
    result = released.judge_fault(fault_of(title), "cpu", 40, 1, EMULATED[title][k])
    result.raise_for_failure()


def test_the_standardized_gradient():
    fault = fault_of("nn.standardize, its gradient")
    assert not released.judge_fault(fault, "cpu", 40, 1, lambda p: standardize(p, True)).passed


@pytest.mark.parametrize("driver", ["gesvd", "gesvda"])
def test_an_svd_that_does_not_converge_is_found(driver):
    def svd(p):
        if np.abs(p.A).max(initial=0) > 1e37:
            raise torch.linalg.LinAlgError("the algorithm failed to converge")
        return tuple(torch.linalg.svd(torch.from_numpy(p.A), full_matrices=False))

    fault = fault_of(f"linalg.svd by {driver}")
    assert not released.judge_fault(fault, "cpu", 40, 1, svd).passed
    right = lambda p: tuple(torch.linalg.svd(torch.from_numpy(p.A), full_matrices=False))  # noqa: E731
    assert released.judge_fault(fault, "cpu", 40, 1, right).passed


def test_a_loss_of_0_for_an_impossible_alignment_is_found():
    from assay._library_kernels import torch_ctc

    def kernel(p):
        if p.blank != 0 or not (p.input_lengths == p.logits.shape[0]).all() or not p.target_lengths.all():
            from assay._pipe import Unsupported

            raise Unsupported("what cuDNN does not take")
        loss, gradient = torch_ctc(p)
        return torch.where(torch.isinf(loss), torch.zeros_like(loss), loss), gradient

    fault = fault_of("ctc_loss by cuDNN")
    assert not released.judge_fault(fault, "cpu", 40, 1, kernel).passed
    assert released.judge_fault(fault, "cpu", 40, 1, torch_ctc).passed


def test_the_table_names_what_was_not_judged(tmp_path):
    rows = [released.found_by(one, "cpu", 4, 1) for one in FAULTS if one.title in ("binary_cross_entropy_with_logits", "jsd")]
    lines = list(released.report(rows, str(tmp_path / "rows.json")))
    assert lines[2].startswith(f"| torch {torch.__version__} | binary_cross_entropy_with_logits |") and "| fail |" in lines[2]
    assert "`liger_kernel` jsd: not judged (it is judged on cuda)" in lines[-1]
    assert [one["title"] for one in json.loads((tmp_path / "rows.json").read_text())] == [
        "jsd",
        "binary_cross_entropy_with_logits",
    ]


def test_a_library_that_cannot_be_imported_is_named():
    row = released.found_by(fault_of("jsd"), "cuda", 4, 1)
    assert "ModuleNotFoundError: No module named 'liger_kernel'" in row.missing or row.verdict
