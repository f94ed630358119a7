"""Sums and scans as users declare them, with right kernels that take other orders, and a planted fault beside each."""

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
]
