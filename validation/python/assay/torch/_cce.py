"""Linear cross-entropy for PyTorch.

For reductions "sum" and "mean" loss and gradients are computed in one pass, when the loss is; for "none" the gradients are
computed when their upstream gradients are known, from logits computed again.
"""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import torch

from .. import _kernel_calls as calls
from .._options import DEFAULTS, CceOptions, Unpack, with_options
from . import _autocast, _cce_formula, _define, _gpu, _transforms
from ._define import array_of, carried, dtype_name, expect_floats, integers, tensor_of

_OPTIONS = DEFAULTS[CceOptions]
_INPUTS = 4 + len(_OPTIONS)  # of the operators: hidden, weight, targets, bias and the options
_REDUCTION = 4 + list(_OPTIONS).index("reduction")


def _problem(inputs: Tuple[Any, ...], upstream: Any = None) -> calls.LinearCrossEntropy:
    hidden, weight, targets, bias, *options = inputs
    return calls.LinearCrossEntropy(
        carried(hidden), carried(weight), None if bias is None else carried(bias), array_of(targets),
        calls.upstream_of(upstream), dict(zip(_OPTIONS, options)),
    )  # fmt: skip


def _on_gpu(inputs: Tuple[Any, ...], upstream: Any, wanted: Tuple[bool, ...]) -> Tuple[torch.Tensor, List[torch.Tensor]]:
    hidden, weight, targets, bias, *options = inputs
    given = dict(zip(_OPTIONS, options))
    return _gpu.linear_cross_entropy(hidden, weight, bias, array_of(targets), calls.upstream_of(upstream), given, wanted)


def _in_one_pass(inputs: Tuple[Any, ...], wanted: Tuple[bool, ...]) -> bool:
    return inputs[_REDUCTION] != "none" and any(wanted)


def _compute(*arguments: Any) -> Tuple[torch.Tensor, ...]:
    """Loss; the log-sum-exp of each token, or nothing; the gradients, or nothing."""
    inputs, wanted = arguments[:_INPUTS], arguments[_INPUTS:]
    if _gpu.computes(inputs[0]):
        loss, gradients = _on_gpu(inputs, None, wanted if _in_one_pass(inputs, wanted) else (False,) * 3)
        return (loss, loss.new_empty(0), *gradients)
    problem, dtype, threads = _problem(inputs), inputs[0].dtype, torch.get_num_threads()
    if _in_one_pass(inputs, wanted):
        losses, found = problem.loss(wanted, threads)
        log_sum_exp = torch.empty(0, dtype=torch.float64)
    else:
        losses, sums = problem.forward(threads)
        found = [calls.empty((0,), dtype_name(dtype)) for _ in wanted]
        log_sum_exp = tensor_of(sums, torch.float64)
    return (tensor_of(losses, torch.float32), log_sum_exp, *(tensor_of(one, dtype) for one in found))


def _fake_gradients(inputs: Tuple[Any, ...], wanted: Tuple[bool, ...]) -> List[torch.Tensor]:
    hidden, weight, _, _ = inputs[:4]
    shapes = (hidden.shape, weight.shape, weight.shape[:1])
    return [hidden.new_empty(shape if want else (0,)) for shape, want in zip(shapes, wanted)]


def _fake(*arguments: Any) -> Tuple[torch.Tensor, ...]:
    inputs, wanted = arguments[:_INPUTS], arguments[_INPUTS:]
    hidden, one_pass = inputs[0], _in_one_pass(inputs, wanted)
    loss = hidden.new_empty(calls.loss_shape(inputs[_REDUCTION], (hidden.shape[0],)), dtype=torch.float32)
    on_gpu = _gpu.computes(hidden)
    shape, dtype = (0,) if one_pass or on_gpu else hidden.shape[:1], torch.float32 if on_gpu else torch.float64
    log_sum_exp = hidden.new_empty(shape, dtype=dtype)
    return (loss, log_sum_exp, *_fake_gradients(inputs, wanted if one_pass else (False,) * 3))


def _setup_context(ctx: Any, inputs: Tuple[Any, ...], output: Tuple[torch.Tensor, ...]) -> None:
    hidden, weight, targets, bias = inputs[:4]
    ctx.save_for_backward(output[1], hidden, weight, targets, bias)
    ctx.options, ctx.wanted = inputs[4:_INPUTS], inputs[_INPUTS:]
    ctx.kept = [one.detach() for one in output[2:]] if _in_one_pass(inputs, ctx.wanted) else None
    ctx.mark_non_differentiable(*output[1:])
    ctx.set_materialize_grads(False)  # a gradient in a gradient would be zeros of its size


def _backward(ctx: Any, upstream: Optional[torch.Tensor], *_: Any) -> Tuple[Any, ...]:
    if upstream is None:
        return (None,) * (_INPUTS + 3)
    _transforms.expect_no_batched_gradient("linear_cross_entropy", upstream)
    needed = _needed(ctx)  # under vmap it is not seen before
    kept, ctx.kept = ctx.kept, None  # given away: a second backward pass computes them anew
    are_there = all(want or not need for want, need in zip(ctx.wanted, needed))
    gradients = _define.scaled(kept, upstream) if kept is not None and are_there else None
    if gradients is None:
        gradients = _cce_backward(upstream, *ctx.saved_tensors, *ctx.options, *needed)
    dhidden, dweight, dbias = (one if need else None for one, need in zip(gradients, needed))
    return (dhidden, dweight, None, dbias, *[None] * (_INPUTS - 1))


def _needed(ctx: Any) -> Tuple[bool, ...]:
    return tuple(ctx.needs_input_grad[i] for i in (0, 1, 3))


def _compute_backward(upstream: torch.Tensor, log_sum_exp: torch.Tensor, *arguments: Any) -> Tuple[torch.Tensor, ...]:
    inputs, wanted = arguments[:_INPUTS], arguments[_INPUTS:]
    if _gpu.computes(inputs[0]):
        return tuple(_on_gpu(inputs, array_of(upstream.cpu()), wanted)[1])
    problem, threads = _problem(inputs, array_of(upstream)), torch.get_num_threads()
    if len(log_sum_exp) == len(inputs[0]):
        gradients = problem.backward(array_of(log_sum_exp), wanted, threads)
    else:
        _, gradients = problem.loss(wanted, threads)
    return tuple(tensor_of(one, inputs[0].dtype) for one in gradients)


_ARGUMENTS = (
    "Tensor hidden, Tensor weight, Tensor targets, Tensor? bias, "
    + "".join(f"{type(default).__name__} {name}, " for name, default in _OPTIONS.items())
    + "bool wants_dhidden, bool wants_dweight, bool wants_dbias"
)


def _save_for_rules(ctx: Any, inputs: Tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(*inputs[:4])
    ctx.options = inputs[4:]


def _gradients_of_saved(ctx: Any, upstream: Optional[torch.Tensor], *_: Any) -> Tuple[Any, ...]:
    hidden, weight, targets, bias = ctx.saved_tensors
    needed = _needed(ctx)
    none = hidden.new_empty(0, dtype=torch.float64)  # for log-sum-exp: computed anew
    gradients = _cce_backward(upstream, none, hidden, weight, targets, bias, *ctx.options, *needed)
    dhidden, dweight, dbias = (one if need else None for one, need in zip(gradients, needed))
    return (dhidden, dweight, None, dbias, *[None] * len(_OPTIONS))


def _transformed(operator: Any) -> Any:
    rules = _save_for_rules, _gradients_of_saved, _no_forward_mode
    function = _transforms.ruled("linear_cross_entropy", lambda *inputs: operator(*inputs, *(False,) * 3)[0], *rules)

    def call(*inputs: Any) -> Tuple[torch.Tensor]:
        return ((_cce_formula.loss if _transforms.forward_mode() else function)(*inputs[:_INPUTS]),)

    return call


def _save_for_second_derivative(ctx: Any, inputs: Tuple[Any, ...], output: Any) -> None:
    upstream, _, hidden, weight, targets, bias, *rest = inputs
    ctx.save_for_backward(upstream, hidden, weight, targets, bias)
    ctx.rest = rest


def _second_derivative(ctx: Any, *cotangents: Any) -> Tuple[Any, ...]:
    """The derivatives in upstream and in the inputs of the gradients."""
    if not hasattr(torch, "func"):
        raise NotImplementedError(
            f"assay.torch.linear_cross_entropy has no second derivative with PyTorch {torch.__version__}: expected 2.0 or later, "
            "or backward and grad without create_graph"
        )
    upstream, hidden, weight, targets, bias = ctx.saved_tensors
    options, wanted = ctx.rest[: len(_OPTIONS)], ctx.rest[len(_OPTIONS) :]
    given = [upstream, hidden, weight, *([] if bias is None else [bias])]

    def gradients(upstream: torch.Tensor, hidden: Any, weight: Any, bias: Any = None) -> Tuple[torch.Tensor, ...]:
        return _cce_formula.gradients(upstream, (hidden, weight, targets, bias, *options), wanted)

    due, pullback = torch.func.vjp(gradients, *given)[:2]
    dupstream, dhidden, dweight, *dbias = pullback(
        tuple(torch.zeros_like(one) if cotangent is None else cotangent for one, cotangent in zip(due, cotangents))
    )
    return (dupstream, None, dhidden, dweight, None, *(dbias or [None]), *[None] * len(ctx.rest))


def _transformed_backward(operator: Any) -> Any:
    rules = _save_for_second_derivative, _second_derivative, _no_forward_mode
    function = _transforms.ruled("linear_cross_entropy_backward", operator, *rules)

    def call(upstream: torch.Tensor, log_sum_exp: torch.Tensor, *rest: Any) -> Tuple[torch.Tensor, ...]:
        if _transforms.forward_mode():
            return _cce_formula.gradients(upstream, rest[:_INPUTS], rest[_INPUTS:])
        results: Tuple[torch.Tensor, ...] = function(upstream, log_sum_exp, *rest)
        return results

    return call


_no_forward_mode = _transforms.refusing("linear_cross_entropy", "forward mode", "expected torch.func.jvp or a dual_level around it")
_cce_backward = _define.define(
    "linear_cross_entropy_backward",
    f"(Tensor upstream, Tensor log_sum_exp, {_ARGUMENTS}) -> (Tensor, Tensor, Tensor)",
    _compute_backward,
    lambda upstream, log_sum_exp, *arguments: tuple(_fake_gradients(arguments[:_INPUTS], arguments[_INPUTS:])),
    _second_derivative,
    _save_for_second_derivative,
    transformed=_transformed_backward,
)
_cce = _define.define(
    "linear_cross_entropy",
    f"({_ARGUMENTS}) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
    _compute,
    _fake,
    _backward,
    _setup_context,
    transformed=_transformed,
)


@with_options(CceOptions)
def linear_cross_entropy(
    hidden: torch.Tensor,
    weight: torch.Tensor,
    targets: torch.Tensor,
    bias: Optional[torch.Tensor] = None,
    **options: Unpack[CceOptions],
) -> torch.Tensor:
    """cross_entropy(hidden @ weight.T + bias, targets), without the logits in memory.

    hidden           [..., H], and weight [V, H], bias [V] or None: all float32, float16 or bfloat16
    targets          integers [...] in [0, V), or ignore_index: such a token has loss and gradient 0
    {options}
    reduction        "mean": over tokens that are not ignored, 0 where there is none; "sum"; "none": [...]

    The loss is float32. There is no second derivative.

    >>> import torch
    >>> hidden, weight = torch.zeros(1, 2, 4, requires_grad=True), torch.zeros(8, 4)
    >>> loss = linear_cross_entropy(hidden, weight, torch.tensor([[3, -100]]))
    >>> loss.backward()
    >>> round(loss.item(), 6), hidden.grad.shape  # ln 8
    (2.079442, torch.Size([1, 2, 4]))
    """
    hidden, weight = _autocast.lower(hidden), _autocast.lower(weight)
    bias = None if bias is None else _autocast.lower(bias)
    given = {"hidden": hidden, "weight": weight, **({} if bias is None else {"bias": bias})}
    for name, one in given.items():
        expect_floats(name, one, calls.LOSS_DTYPES, _define.DEVICES)
    _expect_shapes(hidden, weight, targets, bias)
    calls.loss_shape(options["reduction"], ())
    enabled = torch.is_grad_enabled()
    wanted = [enabled and one is not None and one.requires_grad for one in (hidden, weight, bias)]
    loss: torch.Tensor = _cce(
        hidden.reshape(targets.numel(), hidden.shape[-1]), weight, integers("targets", targets, hidden).reshape(-1), bias,
        *options.values(), *wanted,
    )[0]  # fmt: skip
    return loss.reshape(targets.shape) if options["reduction"] == "none" else loss


def _expect_shapes(hidden: torch.Tensor, weight: torch.Tensor, targets: Any, bias: Optional[torch.Tensor]) -> None:
    """Raises ValueError where shapes or types do not go together; here, so that meta tensors are checked too."""
    if hidden.dim() < 1 or weight.dim() != 2 or weight.shape[1] != hidden.shape[-1]:
        raise ValueError(f"hidden has shape {list(hidden.shape)}, weight {list(weight.shape)}: expected [..., H] and [V, H]")
    if not isinstance(targets, torch.Tensor) or targets.shape != hidden.shape[:-1]:
        shape = list(targets.shape) if isinstance(targets, torch.Tensor) else type(targets).__name__
        raise ValueError(f"targets has shape {shape}: expected {list(hidden.shape[:-1])}, as hidden [..., H] has")
    if bias is not None and bias.shape != weight.shape[:1]:
        raise ValueError(f"bias has shape {list(bias.shape)}: expected [V={weight.shape[0]}]")
    for name, one in (("weight", weight), ("bias", bias)):
        if one is not None and one.device != hidden.device:
            raise ValueError(f"{name} is on {one.device}: expected {hidden.device}, as hidden is")
        if one is not None and one.dtype != hidden.dtype:
            raise ValueError(f"{name} is {dtype_name(one.dtype)}: expected {dtype_name(hidden.dtype)}, as hidden is")
