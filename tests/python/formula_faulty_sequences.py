"""Faulty kernels of the gallery's sequences."""

import numpy as np

import formula_right_sequences as right

f32 = np.float32


def _padded(p, cap=8, scale=0.25, keep=None, low=-np.inf, last=0, empty=0):
    s = p.q @ np.swapaxes(p.k, -1, -2) * f32(scale)
    s = cap * np.tanh(s / cap) if cap else s
    s = np.where(p.keep if keep is None else keep, s, f32(low))
    m = s.max(-1, keepdims=True, initial=-np.inf)
    e = np.exp(s - (m if empty is None else np.where(m == -np.inf, f32(0), m)))
    if last:
        e[..., -last:] = 0
    total = e.sum(-1, keepdims=True)
    return (e / (total if empty is None else np.where(total == 0, f32(1), total))) @ p.v


def _cumulative_by_one_maximum(p):
    """Loses what lies far below the row's maximum."""
    m = p.x.max(-1, keepdims=True, initial=-np.inf)
    return np.log(np.cumsum(np.exp(p.x - m), axis=1)) + m


def _cumulative_without_carry(p, chunk=8):
    out = p.x.copy()
    for at in range(0, p.x.shape[1], chunk):
        out[:, at : at + chunk] = np.logaddexp.accumulate(p.x[:, at : at + chunk], axis=1)
    return out


class _Changed:
    """The problem with other arrays."""

    def __init__(self, p, **others):
        self.__dict__.update({**vars(p), **others})


def _unnormalised(p):
    n = p.q.shape[1]
    state, out = np.zeros((n, n), f32), np.zeros_like(p.q)
    for t in range(len(p.q)):
        state = state * p.decay[t]
        state = state + p.beta[t] * np.outer(p.k[t], p.v[t] - p.k[t] @ state)
        out[t] = p.q[t] @ state
    return out


def inverse_by_powers(p, chunk=64):
    """(I + L)^-1 = (I - L)(I + L^2)(I + L^4)...: right on paper, but where keys are alike, powers of L are 1e8 and cancel."""
    k, n = right.unit_keys(p), p.q.shape[1]
    state, out = np.zeros((n, n), f32), np.zeros_like(p.q)
    for at in range(0, len(p.q), chunk):
        q, key, v, a, b = (one[at : at + chunk] for one in (p.q, k, p.v, p.decay, p.beta))
        size = len(q)
        ratio = np.array([[np.prod(a[j + 1 : i + 1]) if j <= i else 0 for j in range(size)] for i in range(size)], f32)
        decayed, lower = np.cumprod(a)[:, None], np.tril(b[:, None] * ratio * (key @ key.T), -1)
        inverse, power = np.eye(size, dtype=f32) - lower, lower @ lower
        for _ in range(5):
            inverse, power = inverse + inverse @ power, power @ power
        u = inverse @ (b[:, None] * (v - decayed * (key @ state)))
        out[at : at + chunk] = decayed * (q @ state) + (ratio * (q @ key.T)) @ u
        state = decayed[-1] * state + (ratio[-1][:, None] * key).T @ u
    return out


def _read_before_writing(p):
    k, state, out = right.unit_keys(p), np.zeros((p.q.shape[1],) * 2, f32), np.zeros_like(p.q)
    for t in range(len(p.q)):
        out[t] = p.q[t] @ state
        state = state * p.decay[t]
        state = state + p.beta[t] * np.outer(k[t], p.v[t] - k[t] @ state)
    return out


def _transducer(p, join=np.logaddexp, last_blank=True, emit_at=0):
    y, (T, U) = right.transducer_log_probs(p), p.logits.shape[:2]
    alpha = np.full((T, U), -np.inf, f32)
    for t in range(T):
        for u in range(U):
            stay = alpha[t - 1, u] + y[t - 1, u, 0] if t else f32(-np.inf)
            emit = alpha[t, u - 1] + y[max(t - emit_at, 0), u - 1, p.labels[u - 1]] if u else f32(-np.inf)
            alpha[t, u] = join(stay, emit) if t or u else 0
    return np.asarray(-(alpha[-1, -1] + (y[-1, -1, 0] if last_blank else 0)) if T else 0, f32)


FAULTY = {
    "padded_attention": {
        "padding_ignored": lambda p: _padded(p, keep=True),
        "nan_where_all_is_padding": lambda p: _padded(p, empty=None),
        "mean_where_all_is_padding": lambda p: _padded(p, low=-1e9),
        "no_soft_cap": lambda p: _padded(p, cap=0),
        "other_soft_cap": lambda p: _padded(p, cap=16),
        "scale_forgotten": lambda p: _padded(p, scale=1),
        "last_key_left_out": lambda p: _padded(p, last=1),
        "mask_off_by_one": lambda p: _padded(p, keep=np.roll(p.keep, 1)),
    },
    "cumulative_log_sum_exp": {
        "one_maximum": _cumulative_by_one_maximum,
        "no_carry_between_chunks": _cumulative_without_carry,
        "exclusive": lambda p: np.concatenate([np.full_like(p.x[:, :1], -np.inf),
                                               right.cumulative_by_scan(p)[:, :-1]], axis=1),
        "nan_before_the_first_number": lambda p: right.cumulative_by_maximum(p, guards=False),
        "maximum_for_sum": lambda p: np.maximum.accumulate(p.x, axis=1) if p.x.size else p.x.copy(),
    },
    "gated_delta_rule": {
        "keys_not_normalised": _unnormalised,
        "read_before_writing": _read_before_writing,
        "no_decay": lambda p: right.delta_plain(_Changed(p, decay=np.ones_like(p.decay))),
        "beta_forgotten": lambda p: right.delta_plain(_Changed(p, beta=np.ones_like(p.beta))),
        "no_carry_between_chunks": lambda p: right.delta_in_chunks(p, carries=False),
    },
    "transducer_loss": {
        "best_path": lambda p: _transducer(p, join=np.maximum),
        "last_blank_forgotten": lambda p: _transducer(p, last_blank=False),
        "emits_at_the_frame_before": lambda p: _transducer(p, emit_at=1),
        "logits_a_thousandth_too_large": lambda p: right.transducer_alpha(_Changed(p, logits=p.logits * f32(1.001))),
    },
}  # fmt: skip
