"""CTC: each fault is a step of the plain kernel that is computed otherwise."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .entry import Family
from .plain import Ctc

FAMILY = Family("ctc")
SHAPE = {"T": 50, "B": 4, "C": 20, "S": 15}
DECLARED: Dict[str, Any] = {"upstream": True, "checks_arguments": False}
right_ctc = Ctc()


def _instead(**steps: Any) -> Any:
    """The plain kernel with these steps in place of its own."""
    return type("Faulty", (Ctc,), steps)()


@FAMILY.fault("pytorch/pytorch#18215", "ctc", right_ctc, shape=SHAPE, **DECLARED)
def gradient_of_empty_target(p: Any) -> Any:
    """a target without labels: the blank's posterior is not subtracted"""
    own = Ctc.posterior
    return _instead(posterior=lambda self, y, z, *rest: own(self, y, z, *rest) * (len(z) > 1))(p)


@FAMILY.fault("pytorch/pytorch#21680", "ctc", right_ctc, shape=SHAPE, **DECLARED)
def last_state_twice(p: Any) -> Any:
    """a target without labels has one last state, which is added twice: the loss is ln 2 too small"""
    return _instead(total=lambda self, alpha: np.logaddexp(alpha[-1, -1], alpha[-1, max(alpha.shape[1] - 2, 0)]),
                    loss=lambda self, log_p: -log_p)(p)  # fmt: skip


@FAMILY.fault("tensorflow/tensorflow#41280", "ctc", right_ctc, shape=SHAPE, **DECLARED)
def gradient_past_the_length(p: Any) -> Any:
    """frames past a row's length have the gradient of a softmax in place of 0"""

    def past(self: Ctc, gradient: Any, x: Any, length: int) -> None:
        e = np.exp(x[length:] - x[length:].max(-1, keepdims=True))
        gradient[length:] = e / e.sum(-1, keepdims=True)

    return _instead(past=past)(p)


@FAMILY.fault("rwth-i6/returnn#1835", "ctc", right_ctc, shape=SHAPE, zero_infinity=True, **DECLARED)
def softmax_of_impossible(p: Any) -> Any:
    """a row without alignment has the loss 0, and the softmax as its gradient"""
    return _instead(impossible=lambda self, y, p: (0, np.exp(y)))(p)


@FAMILY.fault("pytorch/pytorch#176910", "ctc", right_ctc, shape=SHAPE, zero_infinity=True, **DECLARED)
def zero_infinity_ignored(p: Any) -> Any:
    """zero_infinity is not passed on: the loss of a row without alignment is infinite"""
    return _instead(impossible=lambda self, y, p: (np.inf, np.full_like(y, np.nan)))(p)


@FAMILY.fault("google-deepmind/optax#1771", "ctc", right_ctc, shape=SHAPE, nonnegative_loss=True, **DECLARED)
def negative_loss(p: Any) -> Any:
    """the sum of rounded logarithms is above 0 where the alignment is certain, and the loss below"""
    return _instead(loss=lambda self, log_p: -log_p)(p)


@FAMILY.fault("pytorch/pytorch#123193", "ctc", right_ctc, shape=SHAPE, **DECLARED)
def row_without_frames(p: Any) -> Any:
    """alpha of a row without frames is read where nothing was written: its loss is 0 whatever its labels"""
    return _instead(no_frames=lambda self, labels, p: 0.0)(p)


@FAMILY.fault("pytorch/pytorch#25057", "ctc", right_ctc, shape=SHAPE, **DECLARED)
def batch_for_row(p: Any) -> Any:
    """alpha is read at the last frame of the batch, not of the row"""

    class Batch(Ctc):
        def __call__(self, q: Any) -> Any:
            self.frames = int(max(q.input_lengths, default=0))
            return super().__call__(q)

        def row(self, x: Any, labels: Any, q: Any) -> Any:
            short = self.frames - len(x)
            return super().row(x if short < 2 or len(x) < 2 else np.concatenate([x[:-1], x[-2:-1]]), labels, q)

    return Batch()(p)


@FAMILY.fault("chainer/chainer#2292", "ctc", right_ctc, shape=SHAPE, **DECLARED)
def repeat_without_blank(p: Any) -> Any:
    """the blank between two equal labels may be left out"""
    return _instead(skips=lambda self, z, blank: (z != blank) & (np.arange(len(z)) >= 2))(p)


@FAMILY.fault("pytorch/pytorch#21961", "ctc", right_ctc, shape=SHAPE, **DECLARED)
def upstream_ignored(p: Any) -> Any:
    """the gradient is not multiplied by the upstream gradient"""
    return _instead(weighted=lambda self, gradient, upstream: gradient)(p)


@FAMILY.fault("pytorch/pytorch#11750", "ctc", right_ctc, shape=SHAPE, **DECLARED)
def upstream_in_part(p: Any) -> Any:
    """the upstream gradient multiplies the posterior, and not the softmax"""

    def weighted(self: Ctc, gradient: Any, upstream: Any) -> Any:
        e = np.exp(p.logits - p.logits.max(-1, keepdims=True))
        inside = np.arange(len(e))[:, None, None] < p.input_lengths[:, None]
        y = np.where(inside, e / e.sum(-1, keepdims=True), 0)
        return y - (y - gradient) * upstream[:, None]

    return _instead(weighted=weighted)(p)


@FAMILY.fault("pytorch/pytorch#187716", "ctc", right_ctc, shape=SHAPE, **DECLARED)
def blank_is_class_zero(p: Any) -> Any:
    """alpha(0, 0) is the first frame's class 0, whatever the blank is"""

    def first(self: Ctc, y: Any, z: Any) -> Any:
        return y[0, np.concatenate([[0], z[1:2]])] if z[0] == p.blank else y[0, z[:2]]

    return _instead(first=first)(p)


@FAMILY.fault("pytorch/pytorch#31829", "ctc", right_ctc, shape=SHAPE, **DECLARED)
def nan_of_impossible_class(p: Any) -> Any:
    """a class with a logit of -inf: -inf less -inf is NaN in its frame's gradient"""

    def posterior(self: Ctc, y: Any, z: Any, alpha: Any, beta: Any, log_p: Any) -> Any:
        return np.exp(alpha + beta - y[:, z] - log_p)

    return _instead(posterior=posterior)(p)
