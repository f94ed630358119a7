"""Right kernels of the gallery's sequences: padded attention, cumulative log-sum-exp, gated delta rule, transducer loss."""

import numpy as np

f32 = np.float32


def wide(kernel):
    """The kernel in float64, its result rounded once."""

    class Wide:
        def __init__(self, p):
            for name, one in vars(p).items():
                is_real = isinstance(one, np.ndarray) and one.dtype == f32
                setattr(self, name, one.astype(np.float64) if is_real else one)

    def in_float64(p):
        results = kernel(Wide(p))
        return tuple(np.asarray(one, f32) for one in results) if isinstance(results, tuple) else np.asarray(results, f32)

    return in_float64


def padded_scores(p, cap=8):
    return cap * np.tanh(p.q @ np.swapaxes(p.k, -1, -2) * p.q.dtype.type(0.25) / cap)


def padded_plain(p):
    s = np.where(p.keep, padded_scores(p), -np.inf)
    m = s.max(-1, keepdims=True, initial=-np.inf)
    e = np.exp(s - np.where(m == -np.inf, 0, m))
    total = e.sum(-1, keepdims=True)
    return (e / np.where(total == 0, 1, total)) @ p.v


def padded_kept_keys_alone(p):
    """Gathers the keys that are no padding."""
    if not p.keep.any():
        return np.zeros(p.q.shape, p.q.dtype)
    s = padded_scores(p)[..., p.keep]
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e @ p.v[p.keep]) / e.sum(-1, keepdims=True)


def padded_flash(p, tile=4):
    s = np.where(p.keep, padded_scores(p), f32(-np.inf))
    m = np.full((*s.shape[:2], 1), f32(-np.inf))
    total, out = np.zeros_like(m), np.zeros(p.q.shape, f32)
    for at in range(0, s.shape[-1], tile):
        part = s[..., at : at + tile]
        new = np.maximum(m, part.max(-1, keepdims=True))
        safe = np.where(new == -np.inf, f32(0), new)
        keep, e = np.exp(m - safe), np.exp(part - safe)
        total, out = total * keep + e.sum(-1, keepdims=True), out * keep + e @ p.v[at : at + tile]
        m = new
    return out / np.where(total == 0, f32(1), total)


def cumulative_by_scan(p):
    return np.logaddexp.accumulate(p.x, axis=1) if p.x.size else p.x.copy()


def cumulative_by_maximum(p, guards=True):
    """m + log(sum exp(x - m)) of each prefix, where a prefix of -inf has the total -inf."""
    out = p.x.copy()
    for t in range(p.x.shape[1]):
        m = p.x[:, : t + 1].max(-1)
        shift = np.where(m == -np.inf, f32(0), m) if guards else m
        out[:, t] = shift + np.log(np.exp(p.x[:, : t + 1] - shift[:, None]).sum(-1))
    return out


def cumulative_in_chunks(p, chunk=8):
    out, carry = p.x.copy(), None
    for at in range(0, p.x.shape[1], chunk):
        part = np.logaddexp.accumulate(p.x[:, at : at + chunk], axis=1)
        out[:, at : at + chunk] = part if carry is None else np.logaddexp(carry, part)
        carry = out[:, at : at + chunk][:, -1:]
    return out


def cumulative_by_doubling(p):
    """Hillis and Steele's scan, as a threadgroup does it."""
    out, step = p.x.copy(), 1
    while step < p.x.shape[1]:
        out = np.concatenate([out[:, :step], np.logaddexp(out[:, step:], out[:, :-step])], axis=1)
        step *= 2
    return out


def unit_keys(p):
    return p.k / np.sqrt((p.k * p.k).sum(-1, keepdims=True) + p.k.dtype.type(2.0**-10))


def delta_plain(p):
    k, state, out = unit_keys(p), np.zeros((p.q.shape[1],) * 2, p.q.dtype), np.zeros_like(p.q)
    for t in range(len(p.q)):
        state = state * p.decay[t]
        state = state + p.beta[t] * np.outer(k[t], p.v[t] - k[t] @ state)
        out[t] = p.q[t] @ state
    return out


def delta_by_matrices(p):
    """Each step as a product: (I - beta k k^T) (decay S) + beta k v^T."""
    k, n = unit_keys(p), p.q.shape[1]
    state, out = np.zeros((n, n), p.q.dtype), np.zeros_like(p.q)
    for t in range(len(p.q)):
        forget = np.eye(n, dtype=p.q.dtype) - p.beta[t] * np.outer(k[t], k[t])
        state = forget @ (state * p.decay[t]) + np.outer(p.beta[t] * k[t], p.v[t])
        out[t] = p.q[t] @ state
    return out


def delta_in_chunks(p, chunk=4, carries=True):
    """A chunk at a time: a triangular system gives the corrections of all its steps at once (the WY form)."""
    k, n = unit_keys(p), p.q.shape[1]
    state, out = np.zeros((n, n), p.q.dtype), np.zeros_like(p.q)
    for at in range(0, len(p.q), chunk):
        q, key, v, a, b = (one[at : at + chunk] for one in (p.q, k, p.v, p.decay, p.beta))
        size = len(q)
        ratio = np.array([[np.prod(a[j + 1 : i + 1]) if j <= i else 0 for j in range(size)] for i in range(size)], q.dtype)
        decayed = np.cumprod(a)[:, None]
        due = b[:, None] * (v - decayed * (key @ state))
        lower = np.tril(b[:, None] * ratio * (key @ key.T), -1)
        u = np.zeros_like(due)
        for i in range(size):
            u[i] = due[i] - lower[i, :i] @ u[:i]
        out[at : at + chunk] = decayed * (q @ state) + (np.tril(ratio) * (q @ key.T)) @ u
        if carries:
            state = decayed[-1] * state + (ratio[-1][:, None] * key).T @ u
    return out


def transducer_log_probs(p):
    x = p.logits
    m = x.max(-1, keepdims=True, initial=-np.inf)
    return x - m - np.log(np.exp(x - m).sum(-1, keepdims=True))


def transducer_alpha(p):
    y, (T, U) = transducer_log_probs(p), p.logits.shape[:2]
    alpha = np.full((T, U), -np.inf, p.logits.dtype)
    for t in range(T):
        for u in range(U):
            if t == u == 0:
                alpha[0, 0] = 0
            stay = alpha[t - 1, u] + y[t - 1, u, 0] if t else -np.inf
            emit = alpha[t, u - 1] + y[t, u - 1, p.labels[u - 1]] if u else -np.inf
            if t or u:
                alpha[t, u] = np.logaddexp(p.logits.dtype.type(stay), p.logits.dtype.type(emit))
    return np.asarray(-(alpha[-1, -1] + y[-1, -1, 0]) if T else 0, p.logits.dtype)


def transducer_beta(p):
    y, (T, U) = transducer_log_probs(p), p.logits.shape[:2]
    if T == 0:
        return np.zeros((), p.logits.dtype)
    beta = np.full((T + 1, U + 1), -np.inf, p.logits.dtype)
    beta[T, U - 1] = 0
    for t in reversed(range(T)):
        for u in reversed(range(U)):
            stay = beta[t + 1, u] + y[t, u, 0]
            emit = beta[t, u + 1] + y[t, u, p.labels[u]] if u + 1 < U else p.logits.dtype.type(-np.inf)
            beta[t, u] = np.logaddexp(stay, emit)
    return np.asarray(-beta[0, 0], p.logits.dtype)


RIGHT = {
    "padded_attention": [padded_plain, padded_kept_keys_alone, padded_flash, wide(padded_plain)],
    "cumulative_log_sum_exp": [cumulative_by_scan, cumulative_by_maximum, cumulative_in_chunks, cumulative_by_doubling],
    "gated_delta_rule": [delta_plain, delta_by_matrices, delta_in_chunks, wide(delta_in_chunks)],
    "transducer_loss": [transducer_alpha, transducer_beta, wide(transducer_alpha)],
}
