"""Kernels in NumPy that are right, and planted faults: what the gate must pass, and what it must catch."""

import numpy as np


def require_valid_ctc(p):
    """The error contract of CTC: ValueError names the argument."""
    T, B, C = p.activations.shape
    if not 0 <= p.blank < C:
        raise ValueError(f"blank = {p.blank}: expected a class in [0, {C})")
    for name, lengths, largest in (("input_lengths", p.input_lengths, T), ("target_lengths", p.target_lengths, 2**40)):
        if lengths.shape != (B,) or (lengths < 0).any() or (lengths > largest).any():
            raise ValueError(f"{name} = {lengths}: expected {B} lengths")
    if p.upstream is not None and p.upstream.shape != ((B,) if p.reduction == "none" else (1,)):
        raise ValueError(f"upstream: {p.upstream.shape}")
    if p.layout == "padded" and (p.target_lengths > p.targets.shape[1]).any():
        raise ValueError(f"target_lengths = {p.target_lengths}: expected at most {p.targets.shape[1]}")
    if p.layout == "concatenated" and p.targets.size != p.target_lengths.sum():
        raise ValueError(f"targets has {p.targets.size} labels: expected the sum of target_lengths")
    for b in range(B):
        row = labels(p, b)
        if (row < 0).any() or (row >= C).any() or (row == p.blank).any():
            raise ValueError(f"targets[{b}] = {row}: expected labels in [0, {C}) other than blank")
        x = p.activations[: p.input_lengths[b], b]
        if np.isnan(x).any() or (x == np.inf).any() or (x.max(-1, initial=-np.inf) == -np.inf).any():
            raise ValueError(f"activations of row {b}: expected numbers, one of them finite in each frame")


def labels(p, b):
    if p.layout == "padded":
        return p.targets[b, : p.target_lengths[b]]
    start = p.target_lengths[:b].sum()
    return p.targets[start : start + p.target_lengths[b]]


def _log_softmax(x):
    x = x.astype(np.float64)
    shifted = x - x.max(-1, keepdims=True, initial=-np.inf)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def _alpha(log_y, expanded, may_skip):
    """ln alpha [T, L] (Graves et al. 2006, equation 6)."""
    alpha = np.full((len(log_y), len(expanded)), -np.inf)
    alpha[0, :2] = log_y[0, expanded[:2]]
    for t in range(1, len(log_y)):
        total = alpha[t - 1].copy()
        total[1:] = np.logaddexp(total[1:], alpha[t - 1, :-1])
        total[2:] = np.where(may_skip[2:], np.logaddexp(total[2:], alpha[t - 1, :-2]), total[2:])
        alpha[t] = total + log_y[t, expanded]
    return alpha


def _skips(expanded, blank):
    skips = np.zeros(len(expanded), bool)
    skips[2:] = (expanded[2:] != blank) & (expanded[2:] != expanded[:-2])
    return skips


def _row(x, row, blank):
    """Loss and dL/dlogits [T, C] of one row, in float64."""
    expanded = np.full(2 * len(row) + 1, blank)
    expanded[1::2] = row
    if len(x) == 0:
        return (0.0 if len(row) == 0 else np.inf), np.zeros(x.shape)
    log_y = _log_softmax(x)
    alpha = _alpha(log_y, expanded, _skips(expanded, blank))
    beta = _alpha(log_y[::-1], expanded[::-1], _skips(expanded[::-1], blank))[::-1, ::-1]
    log_p = np.logaddexp.reduce(alpha[-1, -2:])
    if log_p == -np.inf:
        return np.inf, np.full(x.shape, np.nan)
    gradient = np.exp(log_y)
    with np.errstate(invalid="ignore"):
        log_gamma = alpha + beta - log_y[:, expanded] - log_p
    gamma = np.exp(np.where(alpha == -np.inf, -np.inf, log_gamma))
    for state, label in enumerate(expanded):
        gradient[:, label] -= gamma[:, state]
    return max(0.0, 0.0 - log_p), gradient


def ctc(p):
    """Right: log space in float64, rounded once; reduction none, dL/dlogits."""
    require_valid_ctc(p)
    loss = np.zeros(p.logits.shape[1], np.float64)
    gradient = np.zeros(p.logits.shape, np.float64)
    with np.errstate(divide="ignore"):
        for b, length in enumerate(p.input_lengths):
            loss[b], gradient[:length, b] = _row(p.logits[:length, b], labels(p, b), p.blank)
    return loss.astype(np.float32), gradient.astype(np.float32)


# How `ctc` computes, for assay.gate.
CTC = dict(unit_roundoff=2.0**-53, layouts=("padded", "concatenated"))


def cce(p):
    """Right: float64, rounded once; any option."""
    hidden, weight = p.hidden.astype(np.float64), p.weight.astype(np.float64)
    if not (np.isfinite(weight).all() and np.isfinite(hidden[p.targets != p.ignore_index]).all()):
        raise ValueError("hidden, weight: expected finite numbers")
    valid = p.targets != p.ignore_index
    known = np.where(valid, p.targets, 0)
    if p.targets.shape != hidden.shape[:1] or (known < 0).any() or (known >= len(weight)).any():
        raise ValueError(f"targets = {p.targets}: expected vocabulary entries in [0, {len(weight)})")
    scale = _token_weights(p, valid)
    logits = np.where(valid[:, None], hidden, 0) @ weight.T
    log_y = _log_softmax(logits)
    rows = np.arange(len(hidden))
    loss = np.where(valid, -log_y[rows, known], 0)
    dlogits = np.exp(log_y)
    dlogits[rows, known] -= 1
    dlogits *= scale[:, None]
    loss = loss + 0.0
    if p.reduction != "none":
        loss = loss.sum() / (max(valid.sum(), 1) if p.reduction == "mean" else 1)
    dtype = p.hidden.dtype
    return (
        np.asarray(loss, np.float32),
        (dlogits @ weight).astype(dtype),
        (dlogits.T @ np.where(valid[:, None], hidden, 0)).astype(dtype),
    )


def _token_weights(p, valid):
    per_token = p.reduction == "none"
    if p.upstream is not None and p.upstream.shape != ((len(valid),) if per_token else (1,)):
        raise ValueError(f"upstream: {p.upstream.shape}")
    if p.upstream is not None and not np.isfinite(p.upstream).all():
        raise ValueError(f"upstream = {p.upstream}: expected finite numbers")
    upstream = np.ones(1) if p.upstream is None else p.upstream.astype(np.float64)
    return np.where(valid, upstream / (max(valid.sum(), 1) if p.reduction == "mean" else 1), 0)


def svd(p):
    """Right where LAPACK is."""
    if not np.isfinite(p.A).all():
        raise ValueError(f"A[{np.argwhere(~np.isfinite(p.A))[0]}]: expected a finite number")
    return np.linalg.svd(p.A, full_matrices=False)
