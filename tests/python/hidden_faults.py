"""Faults that bounds do not see: one term of 131,073, a mask off by one where weights are 1e-9, p left out beside 1. And right
kernels of the same operations, of other makings."""

import numpy as np

import assay

f32 = np.float32
LARGE = 60_000  # the faults of long sums are in sizes that bounds do not afford
LEAST = 60  # faults


@assay.operation(x="N, D")
def total(xp, x):
    return xp.sum(xp.exp(-x * x), axis=-1)


@assay.operation(x="N, D")
def mean_square(xp, x):
    return xp.mean(x * x, axis=-1)


@assay.operation(x="N, D")
def log_sum_exp(xp, x):
    m = xp.max(x, axis=-1, keepdims=True)
    return (m + xp.log(xp.sum(xp.exp(x - m), axis=-1, keepdims=True)))[:, 0]


@assay.operation(a="N, D", b="D")
def dot(xp, a, b):
    return xp.sum(a * b, axis=-1)


@assay.operation(a="M, K", b="K, 2", limits={"M": 3, "K": 131_073})
def product(xp, a, b):
    return xp.matmul(a, b)


@assay.operation(x="N, D")
def smallest_share(xp, x):
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e[:, :1] / xp.sum(e, axis=-1, keepdims=True)


@assay.operation(v="T, D", limits={"T": 33, "D": 5}, properties="causal=T")
def decaying(xp, v):
    """Attention whose scores fall by 20 a step: the next position would have a weight of 2e-9."""
    at = xp.arange(v.shape[0])
    weights = xp.where(at[:, None] >= at, xp.exp(-20.0 * xp.abs(at[:, None] - at)), 0)
    return xp.matmul(weights / xp.sum(weights, axis=-1, keepdims=True), v)


@assay.operation(x="N, D", limits={"D": 33})
def ramp(xp, x):
    """The logarithm of a sum whose terms before the last have a share of 1e-9 and less."""
    y = x + 22.0 * xp.arange(x.shape[1])
    m = xp.max(y, axis=-1, keepdims=True)
    return (m + xp.log(xp.sum(xp.exp(y - m), axis=-1, keepdims=True)))[:, 0]


def small(function):
    """An operation on p = exp(-20 - x^2), at most 2e-9."""
    return assay.operation(x="N")(function)


@small
def less_one(xp, x):
    p = xp.exp(-20.0 - x * x)
    return (p - 1) * x


@small
def log_of_one_more(xp, x):
    return xp.log1p(xp.exp(-20.0 - x * x)) * x


@small
def one_over(xp, x):
    return x / (1 + xp.exp(-20.0 - x * x))


@small
def root(xp, x):
    return xp.sqrt(x * x + 1e-12) * x


@small
def hyperbolic(xp, x):
    return xp.tanh(xp.exp(-20.0 - x * x)) * x


@assay.operation(x="N, D", bias="D")
def biased(xp, x, bias):
    return x + bias


def without(v):
    return lambda terms: np.concatenate([terms[..., :v], np.zeros_like(terms[..., v : v + 1]), terms[..., v + 1 :]], axis=-1)


def twice(v):
    return lambda terms: np.concatenate([terms[..., :v], 2 * terms[..., v : v + 1], terms[..., v + 1 :]], axis=-1)


def all_terms(terms):
    return terms


def long(change):
    return lambda terms: change(terms) if terms.shape[-1] > LARGE else terms


def of_sum(kernel, change):
    def run(p):
        return kernel(p, long(change))

    return run


def total_kernel(p, change=all_terms):
    return change(np.exp(-p.x * p.x)).sum(-1)


def mean_kernel(p, change=all_terms):
    return change(p.x * p.x).sum(-1) / f32(max(p.x.shape[-1], 1)) if p.x.shape[-1] else np.full(len(p.x), np.nan, f32)


def largest(x):
    return x.max(-1, keepdims=True, initial=-np.inf)


def lse_kernel(p, change=all_terms):
    m = largest(p.x)
    return (m + np.log(change(np.exp(p.x - m)).sum(-1, keepdims=True)))[:, 0]


def dot_kernel(p, change=all_terms):
    return change(p.a * p.b).sum(-1)


def product_kernel(p, change=all_terms):
    return change(p.a) @ p.b


def share_kernel(p, change=all_terms):
    e = np.exp(p.x - largest(p.x))
    return e[:, :1] / change(e).sum(-1, keepdims=True)


def decaying_kernel(p, low=-1000, high=0, last=None):
    at = np.arange(len(p.v))
    ahead = at - at[:, None]
    weights = np.where((ahead >= low) & (ahead <= high), np.exp(f32(-20) * np.abs(ahead).astype(f32)), f32(0))
    if last is not None:
        weights = np.where(at == last, f32(0), weights) if len(at) > last + 1 else weights
        weights = np.where(np.eye(len(at), dtype=bool), f32(1), weights)
    return (weights / weights.sum(-1, keepdims=True)) @ p.v


def ramp_kernel(p, forgets=None, stale=None):
    y = p.x + f32(22) * np.arange(p.x.shape[1]).astype(f32)
    m, s = np.full((len(y), 1), f32(-np.inf)), np.zeros((len(y), 1), f32)
    for d in range(y.shape[1]):
        new = np.maximum(m, y[:, d : d + 1])
        scale = np.exp(m - new)
        if d == stale:
            scale = scale * scale
        s = s * scale + (0 if d == forgets and d + 1 < y.shape[1] else np.exp(y[:, d : d + 1] - new))
        m = new
    return (m + np.log(s))[:, 0]


def p_of(p):
    return np.exp(f32(-20) - p.x * p.x)


LONG = {"total": (total, total_kernel), "mean": (mean_square, mean_kernel), "log_sum_exp": (log_sum_exp, lse_kernel),
        "dot": (dot, dot_kernel), "product": (product, product_kernel), "share": (smallest_share, share_kernel)}  # fmt: skip
HIDDEN = {
    f"{name}_{how.__name__}_{v}": (operation, of_sum(kernel, how(v)), f"{word} the term {v} of the ")
    for name, (operation, kernel) in LONG.items()
    for how, word in ((without, "lacks"), (twice, "has twice"))
    for v in (1, 777, 32_768, 59_999)
}
HIDDEN.update({
    "mask_one_ahead": (decaying, lambda p: decaying_kernel(p, high=1), "takes the other branch of the condition"),
    "mask_one_behind": (decaying, lambda p: decaying_kernel(p, low=-1), ""),
    "mask_of_all": (decaying, lambda p: decaying_kernel(p, high=1000), ""),
    "mask_of_itself": (decaying, lambda p: decaying_kernel(p, low=0), ""),
    "key_0_left_out": (decaying, lambda p: decaying_kernel(p, last=0), ""),
    "key_3_left_out": (decaying, lambda p: decaying_kernel(p, last=3), ""),
    "tile_0_forgotten": (ramp, lambda p: ramp_kernel(p, forgets=0), "lacks the term 0 of the sum in line"),
    "tile_2_forgotten": (ramp, lambda p: ramp_kernel(p, forgets=2), "lacks the term 2 of the sum in line"),
    "rescaled_twice": (ramp, lambda p: ramp_kernel(p, stale=2), ""),
    "p_for_p_less_one": (less_one, lambda p: -p.x, ""),
    "p_for_log1p": (log_of_one_more, lambda p: p_of(p) * p.x, ""),
    "one_for_one_more": (one_over, lambda p: p.x, ""),
    "product_for_quotient": (one_over, lambda p: p.x * (1 - p_of(p)), ""),
    "no_constant_in_the_root": (root, lambda p: np.abs(p.x) * p.x, ""),
    "constant_squared": (root, lambda p: np.sqrt(p.x * p.x + f32(1e-24)) * p.x, ""),
    "p_for_tanh": (hyperbolic, lambda p: p_of(p) * p.x, ""),
    "sinh_for_tanh": (hyperbolic, lambda p: np.sinh(p_of(p)) * p.x, ""),
})  # fmt: skip


def total_in_chunks(p):
    e = np.exp(-(p.x * p.x))
    return sum((e[:, k : k + 256].sum(-1) for k in range(0, e.shape[1], 256)), np.zeros(len(e), f32))


def total_backwards_in_float64(p):
    return np.exp(-np.square(p.x.astype(np.float64)))[:, ::-1].sum(-1).astype(f32)


def total_by_halves(p):
    e = np.exp2(p.x * p.x * f32(-np.log2(np.e)))
    while e.shape[1] > 1:
        half = (e.shape[1] + 1) // 2
        e = np.concatenate([e[:, : e.shape[1] - half] + e[:, half:], e[:, e.shape[1] - half : half]], axis=1)
    return e.sum(-1)


def mean_by_reciprocal(p):
    return (p.x**2 * f32(1 / max(p.x.shape[1], 1))).sum(-1) if p.x.shape[1] else np.full(len(p.x), np.nan, f32)


def mean_by_variance(p):
    return p.x.var(-1) + p.x.mean(-1) ** 2 if p.x.shape[1] else np.full(len(p.x), np.nan, f32)


def lse_by_pairs(p):
    return np.logaddexp.reduce(p.x, axis=-1) if 0 < p.x.shape[1] < 5000 else lse_kernel(p)


def lse_in_probability_space(p):
    return np.log(np.exp(p.x).sum(-1))


def lse_by_powers_of_two(p):
    return np.log2(np.exp2(p.x * f32(np.log2(np.e))).sum(-1)) * f32(np.log(2))


def lse_in_two_steps(p):
    m, half = largest(p.x), p.x.shape[1] // 2
    parts = [np.log(np.exp(one - m).sum(-1)) for one in (p.x[:, :half], p.x[:, half:])]
    return m[:, 0] + np.logaddexp(*parts)


def dot_by_einsum(p):
    return np.einsum("nd,d->n", p.a, p.b)


def dot_by_matmul(p):
    return p.a @ p.b


def product_split(p):
    half = p.a.shape[1] // 2
    return p.a[:, :half] @ p.b[:half] + p.a[:, half:] @ p.b[half:]


def product_by_tensordot(p):
    return np.tensordot(p.a, p.b, 1)


def share_by_logarithms(p):
    return np.exp(p.x[:, :1] - lse_kernel(p)[:, None])


def share_by_differences(p):
    return 1 / np.exp(p.x - p.x[:, :1]).sum(-1, keepdims=True)


def decaying_by_recurrence(p):
    out, total, weight = np.zeros_like(p.v), np.zeros(p.v.shape[1], f32), f32(0)
    for t in range(len(p.v)):
        total, weight = total * np.exp(f32(-20)) + p.v[t], weight * np.exp(f32(-20)) + 1
        out[t] = total / weight
    return out


def less_one_by_expm1(p):
    return np.expm1(f32(-20) - p.x * p.x) * p.x


def one_over_by_sigmoid(p):
    return p.x * (1 - p_of(p) / (1 + p_of(p)))


def root_by_power(p):
    return (p.x * p.x + f32(1e-12)) ** f32(0.5) * p.x


def tanh_by_exponentials(p):
    e = np.exp(2 * p_of(p))
    return (e - 1) / (e + 1) * p.x


RIGHT = [(total, total_kernel), (total, total_in_chunks), (total, total_backwards_in_float64), (total, total_by_halves),
         (mean_square, mean_kernel), (mean_square, mean_by_reciprocal), (mean_square, mean_by_variance), (log_sum_exp, lse_kernel),
         (log_sum_exp, lse_by_pairs), (log_sum_exp, lse_in_probability_space), (log_sum_exp, lse_by_powers_of_two),
         (log_sum_exp, lse_in_two_steps), (dot, dot_kernel), (dot, dot_by_einsum), (dot, dot_by_matmul), (product, product_kernel),
         (product, product_split), (product, product_by_tensordot), (smallest_share, share_kernel),
         (smallest_share, share_by_logarithms), (smallest_share, share_by_differences), (decaying, decaying_kernel),
         (decaying, decaying_by_recurrence), (ramp, ramp_kernel), (less_one, less_one_by_expm1), (one_over, one_over_by_sigmoid),
         (root, root_by_power), (hyperbolic, tanh_by_exponentials)]  # fmt: skip
