"""Formulas as users declare them, with right kernels that take other orders and forms, and a planted fault beside each."""

import numpy as np

import assay

f32 = np.float32
LIMITS = {"M": 33, "K": 257, "N": 33, "T": 65, "S": 33, "D": 65, "V": 257}


def operation(**inputs):
    def declare(formula):
        used = " ".join(one for one in inputs.values() if isinstance(one, str))
        limits = {name: most for name, most in LIMITS.items() if name in used.replace(",", " ").split()}
        return assay.operation(limits=limits, **inputs)(formula)

    return declare


def _exp(x, low):
    return np.exp(x - np.where(low == -np.inf, f32(0), low))


# Sums whose order is the kernel's.


@operation(x="M, K", w="K, N", bias="N")
def linear(xp, x, w, bias):
    return xp.matmul(x, w) + bias


def linear_from_bias(p):
    """Each accumulator begins with the bias, as in the epilogue of a product of matrices."""
    out = np.tile(p.bias, (len(p.x), 1))
    for k in range(p.x.shape[1]):
        out += p.x[:, k, None] * p.w[k]
    return out


def linear_in_blocks(p, tile=32):
    out = np.tile(p.bias, (len(p.x), 1))
    for at in range(0, p.x.shape[1], tile):
        out += p.x[:, at : at + tile] @ p.w[at : at + tile]
    return out


def linear_split(p, parts=4):
    """Split K: each part has an accumulator, and the first one the bias."""
    sums = [p.x[:, k::parts] @ p.w[k::parts] for k in range(parts)]
    sums[0] = sums[0] + p.bias
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])).astype(f32)


def linear_kahan(p):
    total = np.tile(p.bias, (len(p.x), 1))
    lost = np.zeros_like(total)
    for k in range(p.x.shape[1]):
        term = p.x[:, k, None] * p.w[k] - lost
        new = total + term
        total, lost = new, (new - total) - term
    return total


def linear_truncated(p):
    """The sum is cut to 22 bits."""
    bits = (p.x @ p.w + p.bias).astype(f32).view(np.uint32)
    return (bits & np.uint32(0xFFFFFFFC)).view(f32)


def linear_off_by_one(p):
    """Integers that are wrong by one, where a sum is above 40."""
    out = (p.x @ p.w + p.bias).astype(f32)
    return out + np.where((np.abs(out) > 40) & (out == np.trunc(out)), f32(1), f32(0))


@operation(a="N, D", b="N, D", c="N, D")
def sum_of_three(xp, a, b, c):
    return (a + b) + c


def sum_of_three_right(p):
    return p.a + (p.b + p.c)


def sum_of_three_middle(p):
    return p.b + (p.c + p.a)


def sum_of_three_in_bfloat16(p):
    bits = (p.b + p.c).view(np.uint32)
    return p.a + (bits & np.uint32(0xFFFF0000)).view(f32)


@operation(q="T, D", k="S, D", bias="T, S", mask="S of flag")
def masked_scores(xp, q, k, bias, mask):
    scores = xp.matmul(q, xp.matrix_transpose(k)) * 0.25
    return scores + bias + xp.where(mask, 0, -10000)


def scores_mask_first(p):
    return p.q @ p.k.T * f32(0.25) + (p.bias + np.where(p.mask, f32(0), f32(-10000)))


def scores_scaled_queries(p):
    return (p.bias + np.where(p.mask, f32(0), f32(-10000))) + (p.q * f32(0.25)) @ p.k.T


def scores_unmasked(p):
    return p.q @ p.k.T * f32(0.25) + p.bias


@operation(buffer="N", x="K", at="K of index N")
def scatter(xp, buffer, x, at):
    return buffer + xp.sum(xp.where(xp.arange(buffer.shape[0])[:, None] == at, x, 0), axis=1)


def scatter_into_buffer(p):
    out = p.buffer.copy()
    for x, at in zip(p.x, p.at):
        out[at] += x
    return out


def scatter_last_wins(p):
    out = p.buffer.copy()
    out[p.at] += p.x  # repeated indices are added once
    return out


@operation(x="M, T, D", residual="M, T, D", bias="D", w="D, D")
def residual(xp, x, residual, bias, w):
    return residual + (xp.matmul(x, w) + bias)


def residual_begins(p):
    out = p.residual.copy()
    for d in range(p.x.shape[-1]):
        out += p.x[..., d, None] * p.w[d]
    return out + p.bias


def residual_without_bias(p):
    return (p.residual + p.x @ p.w).astype(f32)


# Scans.


@operation(x="N, T", a="N, T of unit")
def linear_scan(xp, x, a):
    h = [x[:, 0]] if x.shape[1] else []
    for t in range(1, x.shape[1]):
        h.append(a[:, t] * h[-1] + x[:, t])
    return xp.stack(h, axis=1) if h else x


def scan_plain(p):
    h = p.x.copy()
    for t in range(1, p.x.shape[1]):
        h[:, t] = p.a[:, t] * h[:, t - 1] + p.x[:, t]
    return h


def scan_by_doubling(p):
    """Hillis and Steele's scan of pairs (a, h), as in a threadgroup."""
    a, h, step = p.a.copy(), p.x.copy(), 1
    while step < p.x.shape[1]:
        h = np.concatenate([h[:, :step], a[:, step:] * h[:, :-step] + h[:, step:]], axis=1)
        a = np.concatenate([a[:, :step], a[:, step:] * a[:, :-step]], axis=1)
        step *= 2
    return h


def scan_in_chunks(p, chunk=4, carries=True):
    h = np.zeros_like(p.x)
    carry = np.zeros(len(p.x), f32)
    for at in range(0, p.x.shape[1], chunk):
        part = scan_plain(type(p)(x=p.x[:, at : at + chunk], a=p.a[:, at : at + chunk]))
        if at and carries:
            part = part + np.cumprod(p.a[:, at : at + chunk], axis=1) * carry[:, None]
        h[:, at : at + chunk] = part
        carry = part[:, -1]
    return h


def scan_without_carry(p):
    return scan_in_chunks(p, carries=False)


@operation(x="N, T")
def cumulative_lse(xp, x):
    total = [x[:, t] for t in range(x.shape[1])]
    for t in range(1, len(total)):
        total[t] = xp.logaddexp(total[t - 1], total[t])
    return xp.stack(total, axis=1) if total else x


def lse_by_maximum(p):
    """m + log(sum exp(x - m)) of each prefix."""
    out = p.x.copy()
    for t in range(p.x.shape[1]):
        m = p.x[:, : t + 1].max(-1)
        out[:, t] = m + np.log(np.exp(p.x[:, : t + 1] - m[:, None]).sum(-1))
    return out


def lse_of_maximum_alone(p):
    return np.maximum.accumulate(p.x, axis=1) if p.x.size else p.x.copy()


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
    (linear, linear_from_bias),
    (linear, linear_in_blocks),
    (linear, linear_split),
    (linear, linear_kahan),
    (sum_of_three, sum_of_three_right),
    (sum_of_three, sum_of_three_middle),
    (masked_scores, scores_mask_first),
    (masked_scores, scores_scaled_queries),
    (scatter, scatter_into_buffer),
    (residual, residual_begins),
    (linear_scan, scan_plain),
    (linear_scan, scan_by_doubling),
    (linear_scan, scan_in_chunks),
    (cumulative_lse, lse_by_maximum),
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
    (linear, linear_truncated),
    (linear, linear_off_by_one),
    (sum_of_three, sum_of_three_in_bfloat16),
    (masked_scores, scores_unmasked),
    (scatter, scatter_last_wins),
    (residual, residual_without_bias),
    (linear_scan, scan_without_carry),
    (cumulative_lse, lse_of_maximum_alone),
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
