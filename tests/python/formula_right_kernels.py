"""Right kernels of the gallery's operations, written as people write them: the gate must accuse none."""

import numpy as np

f32 = np.float32


def softmax_plain(p):
    e = np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True)


def softmax_online(p):
    m, s = np.full((*p.x.shape[:-1], 1), f32(-np.inf)), np.zeros((*p.x.shape[:-1], 1), f32)
    for d in range(p.x.shape[-1]):
        x = p.x[..., d : d + 1]
        new = np.maximum(m, x)
        s = np.where(m == new, s, s * np.exp(m - new)) + np.where(x == new, f32(1), np.exp(x - new))
        m = new
    return np.where(m == -np.inf, f32(np.nan), np.exp(p.x - m) / s)


def softmax_tiled(p):
    if p.x.shape[-1] == 0:
        return p.x.copy()
    m = p.x.max(-1, keepdims=True)
    s = sum(np.exp(p.x[..., i : i + 16] - m).sum(-1, keepdims=True) for i in range(0, p.x.shape[-1], 16))
    return np.exp(p.x - m) * (f32(1) / s)


def softmax_by_powers_of_two(p):
    e = np.exp2((p.x - p.x.max(-1, keepdims=True, initial=-np.inf)) * f32(np.log2(np.e)))
    return e / e.sum(-1, keepdims=True)


def softmax_in_float64(p):
    x = p.x.astype(np.float64)
    e = np.exp(x - x.max(-1, keepdims=True, initial=-np.inf))
    return (e / e.sum(-1, keepdims=True)).astype(f32)


def kahan(terms):
    """The sum over the last axis by compensated addition."""
    total, lost = np.zeros((*terms.shape[:-1], 1), f32), np.zeros((*terms.shape[:-1], 1), f32)
    for d in range(terms.shape[-1]):
        term = terms[..., d : d + 1] - lost
        new = total + term
        total, lost = new, (new - total) - term
    return total


def softmax_kahan(p):
    e = np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf))
    return e / kahan(e)


def rms_kahan(p):
    mean = kahan(p.x * p.x) / f32(max(p.x.shape[-1], 1))
    return p.x / np.sqrt(mean + f32(2.0**-17)) * p.weight


def log_softmax_plain(p):
    d = p.x - p.x.max(-1, keepdims=True, initial=-np.inf)
    return d - np.log(np.exp(d).sum(-1, keepdims=True))


def log_softmax_reversed(p):
    d = p.x - p.x.max(-1, keepdims=True, initial=-np.inf)
    return d - np.log(np.exp(d)[..., ::-1].sum(-1, keepdims=True))


def rms_plain(p):
    return p.x / np.sqrt((p.x * p.x).mean(-1, keepdims=True) + f32(2.0**-17)) * p.weight


def rms_reciprocal(p):
    r = f32(1) / np.sqrt((p.x * p.x).mean(-1, keepdims=True) + f32(2.0**-17))
    return p.x * r * p.weight


def rms_weight_first(p):
    r = f32(1) / np.sqrt((p.x**2).sum(-1, keepdims=True) / f32(max(p.x.shape[-1], 1)) + f32(2.0**-17))
    return (p.x * p.weight) * r


def rms_einsum(p):
    s = np.einsum("nd,nd->n", p.x, p.x)[:, None] * (f32(1) / f32(max(p.x.shape[-1], 1)))
    return p.x / np.sqrt(s + f32(2.0**-17)) * p.weight


def rms_in_float64(p):
    x = p.x.astype(np.float64)
    return (x / np.sqrt((x * x).mean(-1, keepdims=True) + 2.0**-17) * p.weight).astype(f32)


def layer_plain(p):
    d = p.x - p.x.mean(-1, keepdims=True)
    return d / np.sqrt((d * d).mean(-1, keepdims=True) + f32(2.0**-17)) * p.weight + p.bias


def layer_welford(p):
    mean, m2 = np.zeros((p.x.shape[0], 1), f32), np.zeros((p.x.shape[0], 1), f32)
    for k in range(p.x.shape[1]):
        x = p.x[:, k : k + 1]
        delta = x - mean
        mean = mean + delta / f32(k + 1)
        m2 = m2 + delta * (x - mean)
    return (p.x - mean) / np.sqrt(m2 / f32(max(p.x.shape[1], 1)) + f32(2.0**-17)) * p.weight + p.bias


def layer_two_pass_by_var(p):
    return (p.x - p.x.mean(-1, keepdims=True)) / np.sqrt(p.x.var(-1, keepdims=True) + f32(2.0**-17)) * p.weight + p.bias


def layer_reciprocal(p):
    d = p.x - p.x.sum(-1, keepdims=True) * (f32(1) / f32(max(p.x.shape[-1], 1)))
    return d * (f32(1) / np.sqrt((d * d).mean(-1, keepdims=True) + f32(2.0**-17))) * p.weight + p.bias


def layer_in_float64(p):
    x = p.x.astype(np.float64)
    d = x - x.mean(-1, keepdims=True)
    return (d / np.sqrt((d * d).mean(-1, keepdims=True) + 2.0**-17) * p.weight + p.bias).astype(f32)


def matmul_blas(p):
    return p.a @ p.b


def matmul_einsum(p):
    return np.einsum("mk,kn->mn", p.a, p.b)


def matmul_chain(p):
    c = np.zeros((p.a.shape[0], p.b.shape[1]), f32)
    for k in range(p.a.shape[1]):
        c = c + p.a[:, k : k + 1] * p.b[k]
    return c


def matmul_split(p):
    h = p.a.shape[1] // 2
    return p.a[:, :h] @ p.b[:h] + p.a[:, h:] @ p.b[h:]


def matmul_in_float64(p):
    return (p.a.astype(np.float64) @ p.b.astype(np.float64)).astype(f32)


def _scores(p):
    s = p.q @ np.swapaxes(p.k, -1, -2) * f32(0.25)
    t = np.arange(p.q.shape[1])
    return np.where(t[:, None] >= t, s, f32(-np.inf))


def attention_plain(p):
    s = _scores(p)
    e = np.exp(s - s.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True) @ p.v


def attention_divided_last(p):
    s = _scores(p)
    e = np.exp(s - s.max(-1, keepdims=True, initial=-np.inf))
    return (e @ p.v) / e.sum(-1, keepdims=True)


def attention_flash(p, tile=8):
    s = _scores(p)
    m = np.full((*s.shape[:2], 1), f32(-np.inf))
    total, out = np.zeros_like(m), np.zeros(p.q.shape, f32)
    for at in range(0, s.shape[-1], tile):
        part = s[..., at : at + tile]
        new = np.maximum(m, part.max(-1, keepdims=True))
        keep, e = np.exp(m - new), np.exp(part - new)
        total, out = total * keep + e.sum(-1, keepdims=True), out * keep + e @ p.v[:, at : at + tile]
        m = new
    return out / total if s.size else p.v.copy()


def attention_scaled_queries(p):
    q = p.q * f32(0.25)
    t = np.arange(p.q.shape[1])
    s = np.where(t[:, None] >= t, q @ np.swapaxes(p.k, -1, -2), f32(-np.inf))
    e = np.exp(s - s.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True) @ p.v


def attention_in_float64(p):
    class Wide:
        q, k, v = (one.astype(np.float64) for one in (p.q, p.k, p.v))

    return attention_plain(Wide).astype(f32)


RIGHT = {
    "softmax": [softmax_plain, softmax_online, softmax_tiled, softmax_by_powers_of_two, softmax_in_float64,
                softmax_kahan],
    "log_softmax": [log_softmax_plain, log_softmax_reversed],
    "rms_norm": [rms_plain, rms_reciprocal, rms_weight_first, rms_einsum, rms_in_float64, rms_kahan],
    "layer_norm": [layer_plain, layer_welford, layer_two_pass_by_var, layer_reciprocal, layer_in_float64],
    "matmul": [matmul_blas, matmul_einsum, matmul_chain, matmul_split, matmul_in_float64],
    "causal_attention": [attention_plain, attention_divided_last, attention_flash, attention_scaled_queries,
                         attention_in_float64],
}  # fmt: skip
