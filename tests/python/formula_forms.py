"""Formulas as users declare them, with right kernels that take other orders and forms, and a planted fault beside each."""

import numpy as np

import formula_forms_sums as sums
from formula_forms_sums import f32, operation


def _exp(x, low):
    return np.exp(x - np.where(low == -np.inf, f32(0), low))


# Functions in stable and in other forms.


@operation(x="N, D")
def relu(xp, x):
    return xp.maximum(x, 0)


@operation(x="N, D")
def leaky_relu(xp, x):
    return xp.where(x > 0, x, 0.125 * x)


@operation(x="N, D")
def hardtanh(xp, x):
    return xp.minimum(xp.maximum(x, -1), 1)


@operation(x="N, D")
def softplus(xp, x):
    return xp.maximum(x, 0) + xp.log1p(xp.exp(-xp.abs(x)))


def softplus_logaddexp(p):
    return np.logaddexp(p.x, f32(0))


def softplus_unstable(p):
    return np.log1p(np.exp(p.x))


@operation(x="N, D", z="N, D of unit")
def bce_with_logits(xp, x, z):
    return xp.maximum(x, 0) - x * z + xp.log1p(xp.exp(-xp.abs(x)))


def bce_product_last(p):
    return (np.maximum(p.x, 0) + np.log1p(np.exp(-np.abs(p.x)))) - p.x * p.z


def bce_shifted(p):
    """As PyTorch: (1 - z) x + max(-x, 0) + log(...) for x >= 0, where both are of one sign."""
    return np.where(p.x >= 0, (1 - p.z) * p.x, -p.z * p.x) + np.log1p(np.exp(-np.abs(p.x)))


def bce_of_probability(p):
    y = 1 / (1 + np.exp(-p.x))
    return -(p.z * np.log(y) + (1 - p.z) * np.log(1 - y)).astype(f32)


@operation(x="N, D")
def silu(xp, x):
    return x / (1 + xp.exp(-x))


def silu_product(p):
    return p.x * (1 / (1 + np.exp(-p.x)))


def silu_of_relu(p):
    return np.maximum(p.x, 0)


# Losses and rows.


@operation(x="N, V", target="N of index V")
def cross_entropy(xp, x, target):
    m = xp.max(x, axis=-1, keepdims=True)
    log_sum = xp.log(xp.sum(xp.exp(x - m), axis=-1))
    chosen = xp.sum(xp.where(xp.arange(x.shape[1]) == target[:, None], x - m, 0), axis=-1)
    return log_sum - chosen


def _exponentials(p):
    return np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf))


def _is_target(p):
    return np.arange(p.x.shape[1]) == p.target[:, None]


def cross_entropy_backward(p):
    e = _exponentials(p)
    return p.upstream[:, None] * (e / e.sum(-1, keepdims=True) - _is_target(p)).astype(f32)


def cross_entropy_backward_by_others(p):
    """Minus the sum of the others in place of p - 1 at the target, which does not cancel."""
    e = _exponentials(p)
    others = np.where(_is_target(p), f32(0), e).sum(-1, keepdims=True)
    return p.upstream[:, None] * (np.where(_is_target(p), -others, e) / e.sum(-1, keepdims=True))


def cross_entropy_backward_of_mean(p):
    return cross_entropy_backward(p) / max(len(p.x), 1)


@operation(x="N, D")
def log_sum_exp(xp, x):
    m = xp.max(x, axis=-1)
    return m + xp.log(xp.sum(xp.exp(x - m[:, None]), axis=-1))


def log_sum_exp_online(p):
    m, total = np.full(len(p.x), f32(-np.inf)), np.zeros(len(p.x), f32)
    for d in range(p.x.shape[1]):
        new = np.maximum(m, p.x[:, d])
        total = total * np.exp(m - new) + np.exp(p.x[:, d] - new)
        m = new
    return m + np.log(total)


def log_sum_exp_without_rescaling(p):
    m, total = np.full(len(p.x), f32(-np.inf)), np.zeros(len(p.x), f32)
    for d in range(p.x.shape[1]):
        m = np.maximum(m, p.x[:, d])
        total = total + np.exp(p.x[:, d] - m)
    return m + np.log(total)


@operation(q="T, D", k="S, D", v="S, D", bias="T, S", minus_infinity="bias")
def biased_attention(xp, q, k, v, bias):
    scores = xp.matmul(q, xp.matrix_transpose(k)) * 0.25 + bias
    m = xp.max(scores, axis=-1, keepdims=True)
    e = xp.exp(scores - xp.where(m > -xp.inf, m, 0))
    total = xp.sum(e, axis=-1, keepdims=True)
    return xp.matmul(e, v) / xp.where(total > 0, total, 1)


def biased_flash(p, tile=8, rescales=True):
    """Blocks of keys; the accumulators of the scores begin with the bias."""
    out, m, total = np.zeros((len(p.q), p.v.shape[1]), f32), np.full((len(p.q), 1), f32(-np.inf)), np.zeros((len(p.q), 1), f32)
    for at in range(0, len(p.k), tile):
        scores = p.bias[:, at : at + tile].copy()
        for d in range(p.q.shape[1]):
            scores += p.q[:, d, None] * f32(0.25) * p.k[at : at + tile, d]
        new = np.maximum(m, scores.max(-1, keepdims=True))
        keep, e = _exp(m, new) if rescales else f32(1), _exp(scores, new)
        total, out, m = total * keep + e.sum(-1, keepdims=True), out * keep + e @ p.v[at : at + tile], new
    return out / np.where(total > 0, total, f32(1))


def biased_flash_without_rescaling(p):
    return biased_flash(p, rescales=False)


@operation(x="N, D", weight="D", bias="D")
def layer_norm(xp, x, weight, bias):
    d = x - xp.mean(x, axis=-1, keepdims=True)
    return d / xp.sqrt(xp.mean(d * d, axis=-1, keepdims=True) + 2.0**-17) * weight + bias


def layer_norm_welford(p):
    mean, squares = np.zeros((len(p.x), 1), f32), np.zeros((len(p.x), 1), f32)
    for d in range(p.x.shape[1]):
        delta = p.x[:, d : d + 1] - mean
        mean = mean + delta / f32(d + 1)
        squares = squares + delta * (p.x[:, d : d + 1] - mean)
    factor = 1 / np.sqrt(squares / f32(max(p.x.shape[1], 1)) + f32(2.0**-17))
    return ((p.x - mean) * factor * p.weight + p.bias).astype(f32)


def layer_norm_by_squares(p):
    mean = p.x.mean(-1, keepdims=True)
    variance = np.maximum((p.x * p.x).mean(-1, keepdims=True) - mean * mean, 0)
    return ((p.x - mean) / np.sqrt(variance + f32(2.0**-17)) * p.weight + p.bias).astype(f32)


def _slope(at_zero, low=0.0):
    def backward(p):
        return p.upstream * np.where(p.x > 0, f32(1), np.where(p.x == 0, f32(at_zero), f32(low)))

    return backward


def _hardtanh_backward(p):
    return p.upstream * ((p.x > -1) & (p.x < 1))


def _sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, f32(1), e) / (1 + e)


def softplus_backward(p):
    return p.upstream * _sigmoid(p.x)


def bce_backward(p):
    return p.upstream * (_sigmoid(p.x) - p.z), -p.upstream * p.x


def silu_backward(p):
    s = _sigmoid(p.x)
    return p.upstream * (s + p.x * s * _sigmoid(-p.x))


RIGHT = [
    *sums.RIGHT,
    (softplus, softplus_logaddexp),
    (bce_with_logits, bce_product_last),
    (bce_with_logits, bce_shifted),
    (silu, silu_product),
    (log_sum_exp, log_sum_exp_online),
    (biased_attention, biased_flash),
    (layer_norm, layer_norm_welford),
]

RIGHT_BACKWARD = [
    (relu, _slope(0)),
    (relu, _slope(0.5)),
    (leaky_relu, _slope(0.125, 0.125)),
    (hardtanh, _hardtanh_backward),
    (softplus, softplus_backward),
    (bce_with_logits, bce_backward),
    (silu, silu_backward),
    (cross_entropy, cross_entropy_backward),
    (cross_entropy, cross_entropy_backward_by_others),
]

FAULTY = [
    *sums.FAULTY,
    (softplus, softplus_unstable),
    (bce_with_logits, bce_of_probability),
    (silu, silu_of_relu),
    (log_sum_exp, log_sum_exp_without_rescaling),
    (biased_attention, biased_flash_without_rescaling),
    (layer_norm, layer_norm_by_squares),
]

FAULTY_BACKWARD = [
    (relu, _slope(-0.5)),
    (leaky_relu, _slope(0.125, 0.0)),
    (cross_entropy, cross_entropy_backward_of_mean),
]
