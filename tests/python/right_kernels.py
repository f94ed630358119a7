"""Kernels in NumPy of different making, all of them right: the gate must accuse none."""

import numpy as np

import assay
import kernels


def _expanded(p):
    """Classes of the states [B, L], which states may be entered from two before, and which exist."""
    B, S = p.targets.shape
    states = np.full((B, 2 * S + 1), p.blank)
    states[:, 1::2] = np.where(np.arange(S) < p.target_lengths[:, None], p.targets, p.blank)
    skips = np.zeros(states.shape, bool)
    skips[:, 2:] = (states[:, 2:] != p.blank) & (states[:, 2:] != states[:, :-2])
    return states, skips, np.arange(2 * S + 1) <= 2 * p.target_lengths[:, None]


def ctc_of_the_whole_batch(p):
    """Log space in float32: a frame of all rows [B, L] at a time, as tensors do it, and alpha beside beta."""
    T, B, C = p.logits.shape
    states, skips, exist = _expanded(p)
    x = p.logits.astype(np.float32)
    x = np.where(np.arange(T)[:, None, None] < p.input_lengths[:, None], x, np.float32(0))
    x = x - x.max(-1, keepdims=True)
    log_y = x - np.log(np.exp(x).sum(-1, keepdims=True))
    emitted = np.take_along_axis(log_y, np.broadcast_to(states, (T, *states.shape)), 2)
    low = np.float32(-np.inf)
    alpha, beta = np.full((2, T, *states.shape), low)
    for t in range(T):
        total = np.where(np.arange(states.shape[1]) < 2, np.float32(0), low) if t == 0 else alpha[t - 1].copy()
        if t > 0:
            total[:, 1:] = np.logaddexp(total[:, 1:], alpha[t - 1][:, :-1])
            total[:, 2:] = np.where(skips[:, 2:], np.logaddexp(total[:, 2:], alpha[t - 1][:, :-2]), total[:, 2:])
        alpha[t] = np.where(exist, total + emitted[t], low)
    ends = exist & (np.arange(states.shape[1]) >= 2 * p.target_lengths[:, None] - 1)
    for t in reversed(range(T)):
        last = np.where(ends, np.float32(0), low)
        if t + 1 < T:
            after = beta[t + 1] + emitted[t + 1]
            total = after.copy()
            total[:, :-1] = np.logaddexp(total[:, :-1], after[:, 1:])
            total[:, :-2] = np.where(skips[:, 2:], np.logaddexp(total[:, :-2], after[:, 2:]), total[:, :-2])
            last = np.where((t == p.input_lengths - 1)[:, None], last, total)
        beta[t] = last
    loss, gradient = np.zeros(B, np.float32), np.zeros((T, B, C), np.float32)
    for b, length in enumerate(p.input_lengths):
        if length == 0:
            loss[b] = 0 if p.target_lengths[b] == 0 else np.inf
            continue
        log_p = np.logaddexp.reduce(alpha[length - 1, b][ends[b]])
        loss[b] = max(np.float32(0), -log_p)
        gradient[:length, b] = np.exp(log_y[:length, b]) if log_p > low else np.nan
        for s in np.flatnonzero(exist[b]):
            if log_p > low:
                gradient[:length, b, states[b, s]] -= np.exp(alpha[:length, b, s] + beta[:length, b, s] - log_p)
    return loss, gradient


def ctc_of_scaled_probabilities(p):
    """float64 probabilities, each frame's alpha divided by its sum; declines what leaves their range."""
    T, B, C = p.logits.shape
    loss, gradient = np.zeros(B), np.zeros((T, B, C))
    for b, length in enumerate(p.input_lengths):
        loss[b], gradient[:length, b] = _scaled_row(p.logits[:length, b], kernels.labels(p, b), p.blank)
    return loss.astype(np.float32), gradient.astype(np.float32)


def _scaled_row(x, row, blank):
    states = np.full(2 * len(row) + 1, blank)
    states[1::2] = row
    if len(x) == 0:
        return (0.0 if len(row) == 0 else np.inf), np.zeros(x.shape)
    x = x.astype(np.float64)
    y = np.exp(x - x.max(-1, keepdims=True))
    if ((y < 1e-200) & (x > -np.inf)).any():
        raise assay.Unsupported("a probability beyond the range of float64")
    y /= y.sum(-1, keepdims=True)
    alpha, log_p = _scaled(y[:, states], kernels._skips(states, blank))
    total = alpha[-1, -2:].sum()
    if total == 0:
        return np.inf, np.full(x.shape, np.nan)
    beta, _ = _scaled(y[::-1, states[::-1]], kernels._skips(states[::-1], blank))
    with np.errstate(divide="ignore", invalid="ignore"):
        gamma = np.where(alpha > 0, alpha * beta[::-1, ::-1] / y[:, states], 0)
    gamma /= gamma.sum(-1, keepdims=True)
    gradient = y
    for state, label in enumerate(states):
        gradient[:, label] -= gamma[:, state]
    return max(0.0, -(log_p + np.log(total))), gradient


def _scaled(emitted, skips):
    alpha, log_p = np.zeros(emitted.shape), 0.0
    for t in range(len(emitted)):
        before = np.where(np.arange(len(skips)) == 0, 1.0, 0.0) if t == 0 else alpha[t - 1]
        total = before.copy()
        total[1:] += before[:-1]
        if t > 0:
            total[2:] += np.where(skips[2:], before[:-2], 0)
        alpha[t] = total * emitted[t]
        if ((alpha[t] < 1e-250) & (total > 0) & (emitted[t] > 0)).any():
            raise assay.Unsupported("a path beyond the range of float64")
        scale = alpha[t].sum()
        if scale > 0:
            alpha[t] /= scale
            log_p += np.log(scale)
    return alpha, log_p


def cce_by_blas(p):
    """float32 throughout: the logits as a product of matrices, and the softmax in their place."""
    valid, hidden, targets = _tokens(p)
    logits = hidden @ p.weight.T
    logits -= logits.max(-1, keepdims=True)
    exps = np.exp(logits)
    sums = exps.sum(-1, keepdims=True)
    rows = np.arange(len(logits))
    loss = np.where(valid, np.log(sums[:, 0]) - logits[rows, targets], 0)
    dlogits = exps / sums
    dlogits[rows, targets] -= 1
    dlogits[~valid] = 0
    return loss.astype(np.float32), dlogits @ p.weight, dlogits.T @ hidden


def _tokens(p):
    """Which tokens count; hidden and targets with something harmless in the place of the others."""
    valid = p.targets != p.ignore_index
    return valid, np.where(valid[:, None], p.hidden, np.float32(0)), np.where(valid, p.targets, 0)


def cce_in_chunks(p, width=5):
    """float32, the vocabulary in chunks: a running maximum and sum, then each chunk's logits again."""
    valid, hidden, targets = _tokens(p)
    largest = np.full(len(hidden), -np.inf, np.float32)
    sums, of_target = np.zeros((2, len(hidden)), np.float32)
    for first in range(0, len(p.weight), width):
        logits = hidden @ p.weight[first : first + width].T
        new = np.maximum(largest, logits.max(-1))
        sums = sums * np.exp(largest - new) + np.exp(logits - new[:, None]).sum(-1)
        largest = new
        here = np.flatnonzero((targets >= first) & (targets < first + width))
        of_target[here] = logits[here, targets[here] - first]
    lse = largest + np.log(sums)
    dhidden, dweight = np.zeros_like(hidden), np.zeros_like(p.weight)
    for first in range(0, len(p.weight), width):
        part = p.weight[first : first + width]
        dlogits = np.exp(hidden @ part.T - lse[:, None])
        here = np.flatnonzero((targets >= first) & (targets < first + width))
        dlogits[here, targets[here] - first] -= 1
        dlogits[~valid] = 0
        dhidden += dlogits @ part
        dweight[first : first + width] = dlogits.T @ hidden
    return np.where(valid, lse - of_target, np.float32(0)), dhidden, dweight


def svd_of_the_gram_matrix(p):
    """float32 matrices by the eigenvectors of A^T A in float64; QR makes U orthogonal where values are small."""
    if p.A.shape[1] < p.A.shape[2]:
        U, S, Vh = _by_gram(np.swapaxes(p.A, 1, 2))
        return np.swapaxes(Vh, 1, 2), S, np.swapaxes(U, 1, 2)
    return _by_gram(p.A)


def svd_of_lapack(p):
    """LAPACK's divide and conquer; values alone come from its QR iteration, which rounds otherwise."""
    if not p.vectors_wanted:
        return None, np.linalg.svd(p.A, compute_uv=False), None
    return np.linalg.svd(p.A, full_matrices=False)


def _by_gram(A):
    A64 = A.astype(np.float64)
    scale = np.abs(A64).max((1, 2), keepdims=True)
    scale = np.where(scale > 0, 2.0 ** np.floor(np.log2(np.where(scale > 0, scale, 1))), 1)
    A64 = A64 / scale
    _, V = np.linalg.eigh(np.swapaxes(A64, 1, 2) @ A64)
    V = V[:, :, ::-1]
    U, R = np.linalg.qr(A64 @ V)
    S = np.diagonal(R, axis1=1, axis2=2)
    order = np.argsort(-np.abs(S), axis=1)
    U, V = (np.take_along_axis(one, order[:, None], 2) for one in (U * np.sign(np.where(S < 0, -1, 1))[:, None], V))
    S = np.take_along_axis(np.abs(S), order, 1) * scale[:, 0]
    return U.astype(np.float32), S.astype(np.float32), np.swapaxes(V, 1, 2).astype(np.float32)
