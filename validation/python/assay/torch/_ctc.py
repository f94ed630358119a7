"""CTC for PyTorch: loss and gradient in one pass, when the loss is computed."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import torch

from .. import _kernel_calls as calls
from .._options import with_own_names
from . import _autocast, _define, _gpu, _transforms
from ._define import array_of, carried, expect_floats, integers, tensor_of

_NO_UPSTREAM = calls.upstream_of(None)


def _call(inputs: Tuple[Any, ...], upstream: Any, with_gradient: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    activations, targets, input_lengths, target_lengths, blank, reduction, zero_infinity, logits = inputs
    options = {"blank": blank, "reduction": reduction, "zero_infinity": zero_infinity, "logits": logits}
    lengths = array_of(targets), array_of(input_lengths), array_of(target_lengths)
    if _gpu.computes(activations):
        return _gpu.ctc_loss(activations, *lengths, upstream, options, with_gradient)
    threads = torch.get_num_threads()
    loss, gradient = calls.ctc_loss(carried(activations), *lengths, upstream, options, with_gradient, threads)
    return tensor_of(loss, torch.float32), tensor_of(gradient, activations.dtype)


def _compute(*inputs: Any) -> Tuple[torch.Tensor, torch.Tensor]:
    return _call(inputs[:-1], _NO_UPSTREAM, inputs[-1])


def _fake(activations: torch.Tensor, *inputs: Any) -> Tuple[torch.Tensor, torch.Tensor]:
    reduction, with_gradient = inputs[4], inputs[7]
    loss = activations.new_empty(calls.loss_shape(reduction, (activations.shape[1],)), dtype=torch.float32)
    return loss, activations.new_empty(activations.shape if with_gradient else (0,))


def _setup_context(ctx: Any, inputs: Tuple[Any, ...], output: Tuple[torch.Tensor, torch.Tensor]) -> None:
    ctx.save_for_backward(*inputs[:4])
    ctx.options = inputs[4:8]
    ctx.kept = output[1] if inputs[8] else None


def _backward(ctx: Any, upstream: Optional[torch.Tensor], *_: Any) -> Tuple[Any, ...]:
    others = (None,) * 8
    if upstream is None:
        return (None, *others)
    _transforms.expect_no_batched_gradient("ctc_loss", upstream)
    kept, ctx.kept = ctx.kept, None  # given away: a second backward pass computes it anew
    if kept is not None:
        done = _define.scaled([kept], upstream if upstream.dim() == 0 else upstream.unsqueeze(1))  # [B, 1] beside [T, B, C]
        if done is not None:
            return (*done, *others)
    return (_ctc_backward(upstream, *ctx.saved_tensors, *ctx.options), *others)


def _compute_backward(upstream: torch.Tensor, *inputs: Any) -> torch.Tensor:
    return _call(inputs, calls.upstream_of(array_of(upstream.cpu())), True)[1]


def _save_for_rules(ctx: Any, inputs: Tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(*inputs[:4])
    ctx.save_for_forward(*inputs[:4])
    ctx.options = inputs[4:]


def _gradient_of_saved(ctx: Any, upstream: Optional[torch.Tensor], *_: Any) -> Tuple[Any, ...]:
    return (None if upstream is None else _ctc_backward(upstream, *ctx.saved_tensors, *ctx.options), *(None,) * 7)


def _tangent(ctx: Any, tangent: Optional[torch.Tensor], *_: Any) -> Optional[torch.Tensor]:
    """The gradient times the tangent of the activations, summed over what a loss depends on."""
    if tangent is None:
        return None
    activations, reduction = ctx.saved_tensors[0], ctx.options[1]
    shape = calls.loss_shape(reduction, (activations.shape[1],))
    upstream = torch.ones(shape, dtype=torch.float32, device=activations.device)
    gradient: torch.Tensor = _ctc_backward(upstream, *ctx.saved_tensors, *ctx.options)
    return (gradient.float() * tangent.float()).sum((0, 2) if reduction == "none" else (0, 1, 2))


def _transformed(operator: Any) -> Any:
    rules = _save_for_rules, _gradient_of_saved, _tangent
    function = _transforms.ruled("ctc_loss", lambda *inputs: operator(*inputs, False)[0], *rules)
    return lambda *inputs: function(*inputs[:-1])  # the gradient waits for its upstream gradient


_ARGUMENTS = (
    "Tensor activations, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank, str reduction, "
    "bool zero_infinity, bool logits"
)
_no_second_derivative = _transforms.refusing(
    "ctc_loss", "second derivative", "call backward or grad without create_graph, and not under jacfwd or hessian"
)
_ctc_backward = _define.define(
    "ctc_loss_backward",
    f"(Tensor upstream, {_ARGUMENTS}) -> Tensor",
    _compute_backward,
    lambda upstream, activations, *_: activations.new_empty(activations.shape),
    _no_second_derivative,
    transformed=lambda operator: _transforms.ruled(
        "ctc_loss_backward", operator, None, _no_second_derivative, _no_second_derivative
    ),
)
_ctc_loss = _define.define(
    "ctc_loss",
    f"({_ARGUMENTS}, bool with_gradient) -> (Tensor, Tensor)",
    _compute,
    _fake,
    _backward,
    _setup_context,
    returns_first=True,
    transformed=_transformed,
)


@with_own_names
def ctc_loss(
    log_probs: torch.Tensor,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
    *,
    logits: bool = False,
) -> torch.Tensor:
    """The CTC loss, with the arguments of torch.nn.functional.ctc_loss.

    log_probs       [T, N, C] or, of one sequence, [T, C]: float32, float16 or bfloat16. With logits=True the first argument
                    holds logits, from which the loss is faster and more accurate than from log_softmax(logits)
    targets         integers [N, S], or the rows concatenated
    input_lengths, target_lengths   tensors or tuples of N integers
    reduction       "mean": of losses over max(target_lengths, 1); "sum"; "none": [N]

    Differs from PyTorch: the loss is float32 whatever the type of log_probs; the gradient in log_probs is -posterior, the
    derivative with log_probs as free variables (after log_softmax both give the same gradient in the logits); labels and
    lengths that are out of range, and NaN, are refused; there is no second derivative.

    >>> import torch
    >>> x = torch.zeros(2, 1, 3, requires_grad=True)
    >>> loss = ctc_loss(x, torch.tensor([[1]]), (2,), (1,), logits=True)
    >>> loss.backward()
    >>> round(loss.item(), 6)  # 3 of 9 paths: -ln 1/3
    1.098612
    """
    name = "logits" if logits else "log_probs"
    log_probs = _autocast.float32(log_probs)
    expect_floats(name, log_probs, calls.LOSS_DTYPES, _define.DEVICES)
    if log_probs.dim() not in (2, 3):
        raise ValueError(f"{name} has shape {list(log_probs.shape)}: expected [T, N, C] or [T, C]")
    is_batch = log_probs.dim() == 3
    calls.loss_shape(reduction, ())
    activations = log_probs if is_batch else log_probs.unsqueeze(1)
    lengths = [
        integers(name, value, log_probs)
        for name, value in (("input_lengths", input_lengths), ("target_lengths", target_lengths))
    ]
    lengths = [one if one.dim() == 1 else one.reshape(-1) for one in lengths]
    with_gradient = torch.is_grad_enabled() and log_probs.requires_grad
    loss: torch.Tensor = _ctc_loss(
        activations, integers("targets", targets, log_probs), *lengths, blank, reduction, zero_infinity, logits, with_gradient
    )
    return loss if is_batch or reduction != "none" else loss.squeeze(0)


class CTCLoss(torch.nn.Module):
    """ctc_loss as a module, with the arguments of torch.nn.CTCLoss; `logits` as in ctc_loss."""

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False, *, logits: bool = False
    ) -> None:
        super().__init__()
        self.blank, self.reduction, self.zero_infinity, self.logits = blank, reduction, zero_infinity, logits

    def forward(
        self, log_probs: torch.Tensor, targets: Any, input_lengths: Any, target_lengths: Any
    ) -> torch.Tensor:
        return ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity,
            logits=self.logits,
        )  # fmt: skip
