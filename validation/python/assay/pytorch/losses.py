"""Rows of losses, as torch._C has them: `reduction` is 0 for none, 1 for the mean, 2 for the sum."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .products import _pairwise_distance
from .reductions import log_softmax


def reduced(xp: Any, loss: Any, reduction: int) -> Any:
    return loss if reduction == 0 else xp.mean(loss) if reduction == 1 else xp.sum(loss)


def _of_difference(function: Any) -> Any:
    def row(xp: Any, input: Any, target: Any, reduction: int = 1, *rest: Any, **named: Any) -> Any:
        return reduced(xp, function(xp, input - target, *rest, **named), reduction)

    return row


def _smooth_l1(xp: Any, d: Any, beta: float = 1.0) -> Any:
    size = xp.abs(d)
    return size if beta == 0 else xp.where(xp.less(size, beta), d * d * (0.5 / beta), size - 0.5 * beta)


def _huber(xp: Any, d: Any, delta: float = 1.0) -> Any:
    size = xp.abs(d)
    return xp.where(xp.less_equal(size, delta), 0.5 * d * d, delta * (size - 0.5 * delta))


def _binary(xp: Any, input: Any, target: Any, weight: Any = None, reduction: int = 1) -> Any:
    """PyTorch keeps logarithms from -100 on."""
    loss = -(target * xp.maximum(xp.log(input), -100) + (1 - target) * xp.maximum(xp.log1p(-input), -100))
    return reduced(xp, loss if weight is None else loss * weight, reduction)


def _binary_of_logits(xp: Any, input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 1) -> Any:
    soft = xp.logaddexp(-input, 0)
    loss = (1 - target) * input + (soft if pos_weight is None else (1 + (pos_weight - 1) * target) * soft)
    return reduced(xp, loss if weight is None else loss * weight, reduction)


def _kl(xp: Any, input: Any, target: Any, reduction: int = 1, log_target: bool = False) -> Any:
    """t log t - t x, which PyTorch computes so: NaN where t is 0 and x is -inf."""
    if log_target:
        return reduced(xp, xp.exp(target) * (target - input), reduction)
    is_none = xp.equal(target, 0)
    entropy = xp.where(is_none, 0, target * xp.log(xp.where(is_none, 1, target)))
    return reduced(xp, entropy - target * input, reduction)


def _along_classes(xp: Any, input: Any, target: Any) -> Any:
    """[N, ...] of [N, C, ...]: the element of the target's class."""
    axis = 1 if input.ndim > 1 else 0
    return xp.squeeze(xp.take_along_axis(input, xp.expand_dims(target, axis), axis=axis), axis)


def _nll(
    xp: Any, input: Any, target: Any, weight: Any = None, reduction: int = 1, ignore_index: int = -100, smoothing: float = 0.0
) -> Any:
    """Of log-probabilities. Targets are classes of the input, so that none is ignored unless ignore_index is one."""
    C = input.shape[1 if input.ndim > 1 else 0]
    loss = -_along_classes(xp, input, target)
    each = None if weight is None else xp.take(weight, target, axis=0)
    loss = loss if each is None else loss * each
    if smoothing:
        axis = 1 if input.ndim > 1 else 0
        of_class = input if weight is None else input * xp.reshape(weight, (C, *([1] * max(input.ndim - 2, 0))))
        loss = (1 - smoothing) * loss - smoothing / C * xp.sum(of_class, axis=axis)
    if 0 <= ignore_index < C:
        counted = xp.where(xp.equal(target, ignore_index), 0, 1)
        loss, each = loss * counted, counted if each is None else each * counted
    if reduction == 1 and each is not None:
        return xp.sum(loss) / xp.sum(each)
    return reduced(xp, loss, reduction)


def _cross_entropy(
    xp: Any,
    input: Any,
    target: Any,
    weight: Any = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Any:
    axis = 1 if input.ndim > 1 else 0
    log_probs = log_softmax(xp, input, axis)
    if target.shape != input.shape:
        return _nll(xp, log_probs, target, weight, reduction, ignore_index, label_smoothing)
    C = input.shape[axis]
    target = target * (1 - label_smoothing) + label_smoothing / max(C, 1) if label_smoothing else target
    terms = log_probs * target
    if weight is not None:
        terms = terms * xp.reshape(weight, (C, *([1] * max(input.ndim - 2, 0))))
    loss = -xp.sum(terms, axis=axis)
    return xp.sum(loss) / max(int(np.prod(loss.shape)), 1) if reduction == 1 else reduced(xp, loss, reduction)


def _hinge_embedding(xp: Any, input: Any, target: Any, margin: float = 1.0, reduction: int = 1) -> Any:
    far = xp.where(xp.equal(target, 1), 0, xp.maximum(margin - input, 0))
    return reduced(xp, far + xp.where(xp.equal(target, -1), 0, input), reduction)


def _margin_ranking(xp: Any, input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 1) -> Any:
    return reduced(xp, xp.maximum(-target * (input1 - input2) + margin, 0), reduction)


def _cosine_embedding(xp: Any, input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 1) -> Any:
    """PyTorch adds 1e-12 to the squares of the lengths."""
    dots = xp.sum(input1 * input2, axis=-1)
    squares = [xp.sum(one * one, axis=-1) + 1e-12 for one in (input1, input2)]
    cosine = dots / xp.sqrt(squares[0] * squares[1])
    near = xp.where(xp.equal(target, 1), 1 - cosine, 0)
    return reduced(xp, near + xp.where(xp.equal(target, -1), xp.maximum(cosine - margin, 0), 0), reduction)


def _triplet(
    xp: Any,
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 1,
) -> Any:
    near, far = _pairwise_distance(xp, anchor, positive, p, eps), _pairwise_distance(xp, anchor, negative, p, eps)
    if swap:
        far = xp.minimum(far, _pairwise_distance(xp, positive, negative, p, eps))
    return reduced(xp, xp.maximum(margin + near - far, 0), reduction)


def _poisson(
    xp: Any, input: Any, target: Any, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: int = 1
) -> Any:
    if full:
        raise ValueError("poisson_nll_loss(full=True): expected full=False, without Stirling's terms")
    return reduced(xp, xp.exp(input) - target * input if log_input else input - target * xp.log(input + eps), reduction)


ROWS: Dict[str, Any] = {
    "mse_loss": _of_difference(lambda xp, d: d * d), "l1_loss": _of_difference(lambda xp, d: xp.abs(d)),
    "smooth_l1_loss": _of_difference(_smooth_l1), "huber_loss": _of_difference(_huber), "binary_cross_entropy": _binary,
    "binary_cross_entropy_with_logits": _binary_of_logits, "kl_div": _kl, "nll_loss": _nll, "nll_loss_nd": _nll,
    "nll_loss2d": _nll,
    "cross_entropy_loss": _cross_entropy, "hinge_embedding_loss": _hinge_embedding, "margin_ranking_loss": _margin_ranking,
    "cosine_embedding_loss": _cosine_embedding, "triplet_margin_loss": _triplet, "poisson_nll_loss": _poisson,
    "soft_margin_loss": lambda xp, input, target, reduction=1: reduced(xp, xp.log1p(xp.exp(-target * input)), reduction),
}  # fmt: skip
