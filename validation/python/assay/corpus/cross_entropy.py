"""Linear cross-entropy, and cross-entropies of logits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict

import numpy as np

from .._references import operation
from .entry import Family
from .narrow import f32
from .plain import Cce, log_softmax

FAMILY = Family("cross-entropy")
SHAPE = {"N": 32, "H": 16, "V": 64}
DECLARED: Dict[str, Any] = {"checks_arguments": False}
right_cce = Cce()


def _instead(**steps: Any) -> Any:
    """The plain kernel with these steps in place of its own."""
    return type("Faulty", (Cce,), steps)()


def _padded(logits: Any, lanes: int, value: float) -> Any:
    """The log-softmax of rows with so many lanes more of this value, without the lanes."""
    return log_softmax(np.pad(logits, ((0, 0), (0, lanes)), constant_values=f32(value)))[:, : logits.shape[1]]


@operation(logits="N, V", label="N of index V", limits={"N": 65, "V": 1025})
def cross_entropy(xp: Any, logits: Any, label: Any) -> Any:
    """As one difference of logits less their maximum."""
    d = logits - xp.max(logits, axis=-1, keepdims=True)
    return xp.log(xp.sum(xp.exp(d), axis=-1)) - d[xp.arange(d.shape[0]), label]


def _of_label(p: Any, x: Any) -> Any:
    return x[np.arange(len(x)), p.label]


def right_cross_entropy(p: Any) -> Any:
    d = p.logits - p.logits.max(-1, keepdims=True)
    return np.log(np.exp(d).sum(-1)) - _of_label(p, d)


@FAMILY.fault("linkedin/Liger-Kernel#1298", "cce", right_cce, shape=SHAPE, upstream=True, **DECLARED)
def first_upstream_for_all(p: Any) -> Any:
    """the gradient of the weight is multiplied by the first token's upstream gradient"""

    def dweight(self: Cce, d: Any, q: Any, hidden: Any) -> Any:
        u = np.broadcast_to(self.upstream(q), len(hidden))
        unit = np.where(u[:, None] != 0, d / np.where(u == 0, f32(1), u)[:, None], f32(0))
        return (unit.T @ hidden) * u[0]

    return _instead(dweight=lambda self, q, d, hidden: dweight(self, d, q, hidden))(p)


@FAMILY.fault("apple/ml-cross-entropy#52", "cce", right_cce, shape=SHAPE, bias=True, **DECLARED)
def bias_added_again(p: Any) -> Any:
    """the bias of the target is added once for each block of the hidden size: right where biases are small"""

    def losses(self: Cce, q: Any, y: Any, known: Any) -> Any:
        again = (q.hidden.shape[1] - 1) // 8 * (0 if q.bias is None else q.bias.astype(f32)[known])
        return Cce.losses(self, q, y, known) - again

    return _instead(losses=losses)(p)


@FAMILY.fault("verl-project/verl#2899", "cce", right_cce, shape=SHAPE, **DECLARED)
def padded_rows_of_weight(p: Any) -> Any:
    """rows past the vocabulary are loaded as 0 and add 1 each to the sum: right for multiples of the tile"""

    return _instead(log_softmax=lambda self, logits: _padded(logits, -logits.shape[1] % 32, 0))(p)


@FAMILY.fault("unslothai/unsloth#10616", "cce", right_cce, shape=SHAPE, logit_softcap=True, **DECLARED)
def capped_padding(p: Any) -> Any:
    """lanes past the vocabulary are masked before the cap, which makes -cap of -inf: right for powers of two"""
    V, padding = len(p.weight), -p.logit_softcap if 0 < p.logit_softcap < np.inf else -np.inf
    return _instead(log_softmax=lambda self, logits: _padded(logits, (1 << (V - 1).bit_length()) - V, padding))(p)


@FAMILY.fault("pytorch/pytorch#94226", "cce", right_cce, shape=SHAPE, upstream=True, **DECLARED)
def upstream_ignored(p: Any) -> Any:
    """the backward pass does not read the upstream gradient: right where it is 1"""
    return _instead(upstream=lambda self, q: np.ones(1, f32))(p)


def refusing_cce(p: Any) -> Any:
    """The error contract: ValueError names the argument."""
    N, V, valid = len(p.hidden), len(p.weight), p.targets != p.ignore_index
    if p.targets.shape != (N,) or ((p.targets[valid] < 0) | (p.targets[valid] >= V)).any():
        raise ValueError(f"targets = {p.targets}: expected {N} entries in [0, {V}) or {p.ignore_index}")
    upstream = np.ones(N if p.reduction == "none" else 1) if p.upstream is None else p.upstream
    if upstream.shape != (N if p.reduction == "none" else 1,) or not np.isfinite(upstream).all():
        raise ValueError(f"upstream = {p.upstream}: expected a finite number for each loss")
    for name, array in (("hidden", p.hidden[valid]), ("weight", p.weight)):
        if not np.isfinite(array).all():
            raise ValueError(f"{name}: expected finite numbers")
    for name, number, most in (("logit_softcap", p.logit_softcap, np.inf), ("label_smoothing", p.label_smoothing, 1),
                               ("z_loss", p.z_loss, np.finfo(f32).max)):  # fmt: skip
        if not 0 <= number <= most:
            raise ValueError(f"{name} = {number}: expected a number from 0 to {most}")
    bias = np.zeros(V) if p.bias is None else p.bias
    if bias.shape != (V,) or np.isnan(bias).any() or (bias == np.inf).any() or not (bias > -np.inf).any():
        raise ValueError(f"bias = {bias}: expected {V} numbers, one of them finite, or -inf")
    return right_cce(p)


@FAMILY.fault("pytorch/pytorch#108148", "cce", refusing_cce, shape=SHAPE, bias=True)
def target_out_of_range(p: Any) -> Any:
    """a target outside the vocabulary has the loss 0 in place of an error"""
    inside = (p.targets >= 0) & (p.targets < len(p.weight))
    return refusing_cce(replace(p, targets=np.where(inside, p.targets, p.ignore_index)))


@FAMILY.fault("paiml/aprender#2199", "cce", right_cce, shape=SHAPE, label_smoothing=True, **DECLARED)
def smoothing_mass(p: Any) -> Any:
    """each other entry has the mass (1 - eps) / V in place of eps / V"""

    def losses(self: Cce, q: Any, y: Any, known: Any) -> Any:
        eps = f32(q.label_smoothing)
        other = (1 - eps if eps else f32(0)) / f32(y.shape[1])
        return -(1 - eps) * y[np.arange(len(known)), known] - other * y.sum(-1)

    return _instead(losses=losses)(p)


@FAMILY.fault("open-mmlab/mmsegmentation#546", "cce", right_cce, shape=SHAPE, reductions="mean", **DECLARED)
def mean_over_ignored(p: Any) -> Any:
    """the mean divides by all tokens, those that are ignored too"""
    return _instead(count=lambda self, q: max(len(q.targets), 1))(p)


@FAMILY.fault("flagos-ai/FlagGems#5025", "cce", right_cce, shape=SHAPE, **DECLARED)
def address_of_ignored(p: Any) -> Any:
    """an ignored token's 0 is stored at ignore_index, which may lie in the next token's row"""

    def stored(self: Cce, q: Any, d: Any) -> Any:
        d, V = np.array(d), d.shape[1]
        for n in np.flatnonzero(q.targets == q.ignore_index):
            if 0 <= n * V + q.ignore_index < d.size:
                d.reshape(-1)[n * V + q.ignore_index] = 0
        return d

    return _instead(stored=stored)(p)


@FAMILY.fault("ml-explore/mlx#4188", cross_entropy, right_cross_entropy, shape={"N": 32, "V": 64})
def offset_swallows_the_gap(p: Any) -> Any:
    """the log-sum-exp keeps the maximum: with a large common offset the loss is rounded to 0"""
    m = p.logits.max(-1, keepdims=True)
    return (m[:, 0] + np.log(np.exp(p.logits - m).sum(-1))) - _of_label(p, p.logits)


@FAMILY.fault("unslothai/unsloth-zoo#593", "cce", right_cce, shape=SHAPE, logit_softcap=True, **DECLARED)
def logit_times_tanh(p: Any) -> Any:
    """the cap is logit tanh(logit / cap) in place of cap tanh(logit / cap)"""

    def capped(self: Cce, q: Any, raw: Any) -> Any:
        cap = f32(q.logit_softcap)
        if not (0 < cap < np.inf):
            return Cce.capped(self, q, raw)
        t = np.tanh(raw / cap)
        return raw * t, t + raw / cap * (1 - t * t)

    return _instead(capped=capped)(p)
