"""Backward passes of the gallery's operations: right ones, and faults that were reported against published kernels."""

import numpy as np

import formula_right_kernels as forward
import formula_roads as roads
from formula_right_sequences import cumulative_by_scan, transducer_log_probs, unit_keys, wide

f32 = np.float32


def _sum(x, axis=-1):
    return x.sum(axis, keepdims=True)


def softmax_backward(p):
    y = forward.softmax_plain(p)
    return y * (p.upstream - _sum(y * p.upstream))


def softmax_backward_from_parts(p):
    y = forward.softmax_plain(p)
    gy = p.upstream * y
    return gy - y * _sum(gy)


def log_softmax_backward(p):
    return p.upstream - forward.softmax_plain(p) * _sum(p.upstream)


def log_softmax_backward_from_result(p):
    return p.upstream - np.exp(forward.log_softmax_plain(p)) * _sum(p.upstream)


def _rms_factor(p):
    return 1 / np.sqrt(_mean(p.x * p.x) + p.x.dtype.type(2.0**-17))


def _mean(x):
    return _sum(x) / x.dtype.type(max(x.shape[-1], 1))


def rms_backward(p, project=True):
    r, g = _rms_factor(p), p.upstream * p.weight
    dx = r * (g - p.x * r * r * _mean(g * p.x)) if project else r * g
    return dx, (p.upstream * p.x * r).sum(0)


def rms_backward_by_normalised(p):
    r = _rms_factor(p)
    y, g = p.x * r, p.upstream * p.weight
    return (g - y * _mean(g * y)) * r, (p.upstream * y).sum(0)


def _normalised(p):
    d = p.x - _mean(p.x)
    r = 1 / np.sqrt(_mean(d * d) + p.x.dtype.type(2.0**-17))
    return d * r, r


def layer_backward(p, mean_of_gradient=True, left_out=None):
    y, r = _normalised(p)
    g = p.upstream * p.weight
    averaged = g.copy()
    if left_out is not None:
        averaged[:, left_out : left_out + 1] = 0
    centred = g - _mean(averaged) if mean_of_gradient else g
    return r * (centred - y * _mean(g * y)), (p.upstream * y).sum(0), p.upstream.sum(0)


def layer_backward_from_sums(p):
    """As Apex does: two sums a row, one factor at the end."""
    y, r = _normalised(p)
    g, n = p.upstream * p.weight, p.x.dtype.type(max(p.x.shape[-1], 1))
    dx = r * (1 / n) * (n * g - _sum(g) - y * _sum(g * y))
    return dx, (p.upstream * y).sum(0), p.upstream.sum(0)


def matmul_backward(p):
    return p.upstream @ p.b.T, p.a.T @ p.upstream


def _weights(p, causal=True):
    s = p.q @ np.swapaxes(p.k, -1, -2) * p.q.dtype.type(0.25)
    t = np.arange(p.q.shape[1])
    s = np.where(t[:, None] >= t, s, -np.inf) if causal else s
    e = np.exp(s - s.max(-1, keepdims=True, initial=-np.inf))
    return e / _sum(e)


def attention_backward(p, scale=0.25, subtract=True, causal=True):
    w = _weights(p, causal)
    dw = p.upstream @ np.swapaxes(p.v, -1, -2)
    ds = w * (dw - _sum(dw * w) if subtract else dw)
    scale = p.q.dtype.type(scale)
    return ds @ p.k * scale, np.swapaxes(ds, -1, -2) @ p.q * scale, np.swapaxes(w, -1, -2) @ p.upstream


def attention_backward_flash(p):
    """Takes the sum over the row from the result, as flash attention does."""
    w = _weights(p)
    delta = _sum(p.upstream * (w @ p.v))
    ds = w * (p.upstream @ np.swapaxes(p.v, -1, -2) - delta) * p.q.dtype.type(0.25)
    return ds @ p.k, np.swapaxes(ds, -1, -2) @ p.q, np.swapaxes(w, -1, -2) @ p.upstream


def padded_backward(p, cap_counts=True):
    tanh = np.tanh(p.q @ np.swapaxes(p.k, -1, -2) * p.q.dtype.type(0.25 / 8))
    s = np.where(p.keep, 8 * tanh, -np.inf)
    m = s.max(-1, keepdims=True, initial=-np.inf)
    e = np.exp(s - np.where(m == -np.inf, 0, m)).astype(p.q.dtype)
    w = e / np.where(_sum(e) == 0, 1, _sum(e))
    dw = p.upstream @ np.swapaxes(p.v, -1, -2)
    ds = w * (dw - _sum(dw * w)) * ((1 - tanh * tanh) if cap_counts else 1) * p.q.dtype.type(0.25)
    dk, dv = np.swapaxes(ds, -1, -2) @ p.q, np.swapaxes(w, -1, -2) @ p.upstream
    return ds @ p.k, dk.sum(0), dv.sum(0)  # heads share keys and values


def _share(x, total):
    """exp(x - total), and 0 of a total of -inf."""
    return np.exp(x - np.where(total == -np.inf, total.dtype.type(0), total))


def cumulative_backward(p):
    """A recurrence from the end, as each total is a share of the next."""
    y, dx, carried = cumulative_by_scan(p), np.zeros_like(p.x), 0
    for t in reversed(range(p.x.shape[1])):
        carried = p.upstream[:, t] + (carried * _share(y[:, t], y[:, t + 1]) if t + 1 < p.x.shape[1] else 0)
        dx[:, t] = carried * _share(p.x[:, t], y[:, t])
    return dx


def cumulative_backward_of_pairs(p):
    """The share of each element in each later total, T x T of them."""
    y, steps = cumulative_by_scan(p), np.arange(p.x.shape[1])
    shares = np.where(steps[:, None] <= steps, _share(p.x[:, :, None], y[:, None, :]), p.x.dtype.type(0))
    return (shares * p.upstream[:, None, :]).sum(-1)


def delta_backward(p, by_matrices=False, erases=True):
    """The recurrence in reverse, over the states of the forward pass."""
    k, n, of = unit_keys(p), p.q.shape[1], p.q.dtype
    states = [np.zeros((n, n), of)]
    for t in range(len(p.q)):
        decayed = states[-1] * p.decay[t]
        states.append(decayed + p.beta[t] * np.outer(k[t], p.v[t] - k[t] @ decayed))
    dq, dk, dv, da, db = (np.zeros_like(one) for one in (p.q, p.k, p.v, p.decay, p.beta))
    ds = np.zeros((n, n), of)
    for t in reversed(range(len(p.q))):
        ds, decayed = ds + np.outer(p.q[t], p.upstream[t]), states[t] * p.decay[t]
        missing, dv[t] = p.v[t] - k[t] @ decayed, p.beta[t] * (k[t] @ ds)
        dq[t], db[t] = states[t + 1] @ p.upstream[t], k[t] @ ds @ missing
        dk[t] = p.beta[t] * (ds @ missing) - decayed @ dv[t]
        if by_matrices:
            ds = (np.eye(n, dtype=of) - p.beta[t] * np.outer(k[t], k[t])) @ ds
        elif erases:
            ds = ds - np.outer(k[t], dv[t])
        da[t], ds = (ds * states[t]).sum(), ds * p.decay[t]
    root = np.sqrt((p.k * p.k).sum(-1, keepdims=True) + of.type(2.0**-10))
    return dq, (dk - k * _sum(k * dk)) / root, dv, da, db


def delta_backward_by_matrices(p):
    return delta_backward(p, by_matrices=True)


def transducer_backward(p, projects=True):
    """By alpha and beta, with the likelihood that alpha gives (as warp-transducer does), then through the log-softmax."""
    y, (T, U) = transducer_log_probs(p), p.logits.shape[:2]
    low, of = y.dtype.type(-np.inf), y.dtype.type
    alpha, beta = np.full((T + 1, U + 1), low), np.full((T + 1, U + 1), low)
    if T == 0:
        return np.zeros_like(p.logits)
    emit = np.array([[y[t, u, p.labels[u]] if u + 1 < U else low for u in range(U)] for t in range(T)], y.dtype)
    beta[T, U - 1] = 0
    for t in range(T):
        for u in range(U):
            stay = alpha[t - 1, u] + y[t - 1, u, 0] if t else low
            alpha[t, u] = np.logaddexp(stay, alpha[t, u - 1] + emit[t, u - 1] if u else low) if t or u else of(0)
    for t in reversed(range(T)):
        for u in reversed(range(U)):
            beta[t, u] = np.logaddexp(beta[t + 1, u] + y[t, u, 0], beta[t, u + 1] + emit[t, u])
    g, total = np.zeros_like(y), alpha[T - 1, U - 1] + y[T - 1, U - 1, 0]
    for u in range(U):
        g[:, u, 0] -= np.exp(alpha[:T, u] + y[:, u, 0] + beta[1:, u] - total)
        if u + 1 < U:
            g[:, u, p.labels[u]] -= np.exp(alpha[:T, u] + emit[:, u] + beta[:T, u + 1] - total)
    return p.upstream * (g - np.exp(y) * _sum(g) if projects else g)


def _of_ones(backward):
    """Ignores the upstream gradient."""

    def ignores(p):
        others = dict(vars(p), upstream=np.ones_like(p.upstream))
        return backward(type("Ones", (), others))

    return ignores


def _first_key_head(p):
    dq, dk, dv = padded_backward(p)
    one = dict(vars(p), q=p.q[:1], upstream=p.upstream[:1])
    return dq, padded_backward(type("First", (), one))[1] if len(p.q) else dk, dv


RIGHT = {
    "softmax": [softmax_backward, softmax_backward_from_parts, wide(softmax_backward)],
    "log_softmax": [log_softmax_backward, log_softmax_backward_from_result, wide(log_softmax_backward)],
    "rms_norm": [rms_backward, rms_backward_by_normalised, wide(rms_backward)],
    "layer_norm": [layer_backward, layer_backward_from_sums, wide(layer_backward)],
    "matmul": [matmul_backward, wide(matmul_backward)],
    "causal_attention": [attention_backward, attention_backward_flash, wide(attention_backward)],
    "padded_attention": [padded_backward, wide(padded_backward)],
    "cumulative_log_sum_exp": [cumulative_backward, cumulative_backward_of_pairs, wide(cumulative_backward)],
    "gated_delta_rule": [delta_backward, delta_backward_by_matrices, wide(delta_backward)],
    "transducer_loss": [transducer_backward, wide(transducer_backward)],
}

# What kernels declare that round numbers which the formula's gradient does not have: alpha + y + beta - total, x - y.
DECLARED = {
    transducer_backward: {"road": roads.transducer_gradient},
    cumulative_backward_of_pairs: {"road": roads.cumulative_gradient_of_pairs},
}

FAULTY = {
    "softmax": {
        "upstream_ignored": _of_ones(softmax_backward),
        "diagonal_alone": lambda p: forward.softmax_plain(p) * (1 - forward.softmax_plain(p)) * p.upstream,
    },
    "log_softmax": {
        "upstream_ignored": _of_ones(log_softmax_backward),
        "sum_of_the_upstream_forgotten": lambda p: p.upstream - forward.softmax_plain(p),
    },
    "rms_norm": {
        "no_projection": lambda p: rms_backward(p, project=False),
        "weight_gradient_of_the_first_row": lambda p: (rms_backward(p)[0], (p.upstream * p.x * _rms_factor(p))[:1].sum(0)),
        "weight_gradient_is_a_mean": lambda p: (rms_backward(p)[0], rms_backward(p)[1] / f32(max(len(p.x), 1))),
    },
    "layer_norm": {
        "mean_of_the_gradient_forgotten": lambda p: layer_backward(p, mean_of_gradient=False),
        "bias_gradient_of_the_weight": lambda p: (*layer_backward(p)[:2], layer_backward(p)[1]),
        "last_row_left_out": lambda p: (*layer_backward(p)[:2], p.upstream[:-1].sum(0)),
    },
    "matmul": {
        "not_transposed": lambda p: (p.upstream @ p.b.T, p.a.T @ np.flip(p.upstream, 1)),
        "upstream_ignored": _of_ones(matmul_backward),
    },
    "causal_attention": {
        "scale_forgotten": lambda p: attention_backward(p, scale=1),
        "row_sum_not_subtracted": lambda p: attention_backward(p, subtract=False),
        "mask_forgotten": lambda p: attention_backward(p, causal=False),
        "upstream_ignored": _of_ones(attention_backward),
    },
    "padded_attention": {
        "slope_of_the_cap_forgotten": lambda p: padded_backward(p, cap_counts=False),
        "keys_of_the_first_head": _first_key_head,
    },
    "cumulative_log_sum_exp": {
        "upstream_ignored": _of_ones(cumulative_backward),
        "later_totals_forgotten": lambda p: p.upstream * np.exp(p.x - cumulative_by_scan(p)),
    },
    "gated_delta_rule": {
        "what_is_erased_forgotten": lambda p: delta_backward(p, erases=False),
        "keys_get_no_gradient": lambda p: (delta_backward(p)[0], np.zeros_like(p.k), *delta_backward(p)[2:]),
    },
    "transducer_loss": {
        "in_the_log_probabilities": lambda p: transducer_backward(p, projects=False),
        "upstream_ignored": _of_ones(transducer_backward),
    },
}  # fmt: skip
