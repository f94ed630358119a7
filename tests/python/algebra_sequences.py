"""Attention that decodes, CTC, scans and segments: right kernels of several makings, and faults that the algebra finds in them."""

import numpy as np

import assay

f32 = np.float32
SCALE = f32(1 / np.sqrt(8))


@assay.operation(q="N, 8", k="T, 8", v="T, 3", limits={"N": 5, "T": 65})
def decoding(xp, q, k, v):
    scores = xp.matmul(q, k.T) / 8**0.5
    e = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return xp.matmul(e, v) / xp.sum(e, axis=-1, keepdims=True)


def part_of(p, keys, maximum=True):
    scores = p.q @ p.k[keys].T * SCALE
    m = scores.max(-1, keepdims=True) if maximum else np.zeros((len(p.q), 1), f32)
    e = np.exp(scores - m)
    return m, e.sum(-1, keepdims=True), e @ p.v[keys]


def decoding_split(p, tile=16, stale=None, twice=None):
    """Each part of the keys by itself, joined by the largest maximum."""
    parts = [part_of(p, slice(k, k + tile)) for k in range(0, len(p.k), tile)]
    largest = np.max(np.stack([m for m, _, _ in parts]), axis=0)
    weights = [np.exp(m - (parts[0][0] if k == stale else largest)) for k, (m, _, _) in enumerate(parts)]
    if twice is not None and len(weights) > twice:
        weights[twice] = weights[twice] * weights[twice]
    return sum(w * o for w, (_, _, o) in zip(weights, parts)) / sum(w * s for w, (_, s, _) in zip(weights, parts))


def decoding_joined_by_lse(p):
    half = len(p.k) // 2 or 1
    found = [part_of(p, keys) for keys in (slice(0, half), slice(half, None)) if p.k[keys].size]
    lse = [m + np.log(s) for m, s, _ in found]
    total = lse[0] if len(lse) == 1 else np.logaddexp(*lse)
    return sum(np.exp(one - total) * o / s for one, (_, s, o) in zip(lse, found))


def decoding_without_maximum(p):
    _, s, o = part_of(p, slice(None), maximum=False)
    return o / s


def decoding_online(p, stale=False):
    m, s, o = np.full((len(p.q), 1), f32(-np.inf)), np.zeros((len(p.q), 1), f32), np.zeros((len(p.q), 3), f32)
    for t in range(len(p.k)):
        score = (p.q * p.k[t]).sum(-1, keepdims=True) / np.sqrt(f32(8))
        new = np.maximum(m, score)
        scale = np.exp(m - new)
        e = np.exp(score - (m if stale and t % 4 == 3 else new))
        m, s, o = new, s * scale + e, o * scale + e * p.v[t]
    return o / s


@assay.operation(x="N, T, 5", limits={"N": 3, "T": 17})
def ctc(xp, x):
    """Minus the logarithm of the probability of the labels 1 2 2 3 among T frames of 5 classes, of which 0 is the blank."""
    y = x - xp.max(x, axis=-1, keepdims=True)
    y = y - xp.log(xp.sum(xp.exp(y), axis=-1, keepdims=True))
    cells = (0, 1, 0, 2, 0, 2, 0, 3, 0)
    if x.shape[1] < 6:
        return xp.sum(y, axis=(1, 2))
    alpha = {0: y[:, 0, 0], 1: y[:, 0, 1]}
    for t in range(1, x.shape[1]):
        before, alpha = alpha, {}
        for s, label in enumerate(cells):
            steps = [0, 1, 2] if label and s > 1 and cells[s - 2] != label else [0, 1]
            ways = [before[s - d] for d in steps if s - d in before]
            if ways:
                so_far = ways[0]
                for way in ways[1:]:
                    so_far = xp.logaddexp(so_far, way)
                alpha[s] = so_far + y[:, t, label]
    return -xp.logaddexp(alpha[7], alpha[8])


CELLS = (0, 1, 0, 2, 0, 2, 0, 3, 0)
SKIPS = [s > 1 and CELLS[s] != 0 and CELLS[s] != CELLS[s - 2] for s in range(9)]


def short(p):
    y = p.x - p.x.max(-1, keepdims=True)
    return (y - np.log(np.exp(y).sum(-1, keepdims=True))).sum((1, 2))


def in_range(kernel):
    def run(p):
        return short(p) if p.x.shape[1] < 6 else kernel(p)

    run.__name__ = kernel.__name__
    return run


def probabilities(p):
    e = np.exp(p.x)
    return e / e.sum(-1, keepdims=True)


def stepped(alpha, skips, drop=None):
    """The sum of the ways into each cell."""
    one, two = np.zeros_like(alpha), np.zeros_like(alpha)
    one[:, 1:], two[:, 2:] = alpha[:, :-1], alpha[:, :-2]
    total = alpha + one + two * np.array(skips).astype(f32)
    if drop is not None:
        total[:, drop] = total[:, drop] - one[:, drop]
    return total


def ctc_by_probabilities(p, skips=SKIPS, drop_at=None, blank_end=True):
    y = probabilities(p)[:, :, list(CELLS)]
    alpha = np.zeros_like(y[:, 0])
    alpha[:, :2] = y[:, 0, :2]
    for t in range(1, y.shape[1]):
        alpha = stepped(alpha, skips, 4 if t == drop_at else None) * y[:, t]
    return -np.log(alpha[:, 7] + alpha[:, 8] if blank_end else alpha[:, 7])


def ctc_scaled(p, forgets=None):
    y = probabilities(p)[:, :, list(CELLS)]
    alpha, total = np.zeros_like(y[:, 0]), np.zeros(len(y), f32)
    alpha[:, :2] = y[:, 0, :2]
    for t in range(1, y.shape[1]):
        scale = alpha.sum(-1, keepdims=True)
        alpha = stepped(alpha / scale, SKIPS) * y[:, t]
        total = total if t == forgets else total + np.log(scale[:, 0])
    return -(np.log(alpha[:, 7] + alpha[:, 8]) + total)


def ctc_backwards(p, block=9):
    """beta, from the last frame to the first. Blocks of fewer cells, all frames of one before the next: upwards, they lack
    what their last cells need of the block above."""
    y = probabilities(p)[:, :, list(CELLS)]
    one, two = ([s // block == (s + step) // block for s in range(9 - step)] for step in (1, 2))
    skips = np.array(SKIPS[2:]) & np.array(two)
    beta = np.zeros_like(y[:, 0])
    beta[:, 7:] = 1
    for t in range(y.shape[1] - 1, 0, -1):
        ahead = beta * y[:, t]
        beta = ahead.copy()
        beta[:, :-1] += ahead[:, 1:] * np.array(one).astype(f32)
        beta[:, :-2] += ahead[:, 2:] * skips.astype(f32)
    return -np.log((beta[:, :2] * y[:, 0, :2]).sum(-1))


def ctc_in_logarithms(p):
    y = p.x - p.x.max(-1, keepdims=True)
    y = (y - np.log(np.exp(y).sum(-1, keepdims=True)))[:, :, list(CELLS)]
    alpha = np.full_like(y[:, 0], -np.inf)
    alpha[:, :2] = y[:, 0, :2]
    for t in range(1, y.shape[1]):
        one, two = np.full_like(alpha, -np.inf), np.full_like(alpha, -np.inf)
        one[:, 1:], two[:, 2:] = alpha[:, :-1], np.where(np.array(SKIPS[2:]), alpha[:, :-2], f32(-np.inf))
        alpha = np.logaddexp(np.logaddexp(alpha, one), two) + y[:, t]
    return -np.logaddexp(alpha[:, 7], alpha[:, 8])


@assay.operation(a="T of decay", x="T, D", limits={"T": 65, "D": 3})
def scan(xp, a, x):
    """h_t = a_t h_(t-1) + x_t"""
    h, rows = xp.zeros(x.shape[1:]), []
    for t in range(x.shape[0]):
        h = a[t] * h + x[t]
        rows.append(h)
    return xp.stack(rows) if rows else x


def scan_plain(p):
    y, h = np.zeros_like(p.x), np.zeros(p.x.shape[1], f32)
    for t in range(len(p.x)):
        h = p.a[t] * h + p.x[t]
        y[t] = h
    return y


def scan_by_blocks(p, block=8, stale=None):
    """Each block by itself, then the state before it times the products of its decays."""
    y, before = np.zeros_like(p.x), np.zeros(p.x.shape[1], f32)
    for first in range(0, len(p.x), block):
        rows = slice(first, first + block)
        decay = np.cumprod(p.a[rows])
        own = scan_plain(type("part", (), {"a": p.a[rows], "x": p.x[rows]}))
        y[rows] = own + decay[:, None] * before
        before = y[min(first + block, len(p.x)) - (2 if first == stale and len(own) > 1 else 1)]
    return y


def scan_by_doubling(p):
    a, y, step = p.a[:, None].copy(), p.x.copy(), 1
    while step < len(y):
        y[step:], a[step:] = y[step:] + a[step:] * y[:-step], a[step:] * a[:-step]
        step *= 2
    return y


def scan_as_a_matrix(p):
    T = len(p.a)
    weights = np.zeros((T, T), f32)
    for t in range(T):
        weights[t, t] = 1
        for s in range(t - 1, -1, -1):
            weights[t, s] = weights[t, s + 1] * p.a[s + 1]
    return weights @ p.x


@assay.operation(x="N, D", at="N of index 4", limits={"N": 129, "D": 5})
def segment_softmax(xp, x, at):
    """Softmax over the rows of each segment; less than 1e-8 is added, so that no sum is 0."""
    e = xp.exp(x)
    total = xp.add_at(xp.zeros((4, x.shape[1])), at, e)
    return e / (total[at] + 2.0**-27)


def segment_by_add_at(p):
    e, total = np.exp(p.x), np.zeros((4, p.x.shape[1]), f32)
    np.add.at(total, p.at, e)
    return e / (total[p.at] + f32(2.0**-27))


def segment_by_masks(p, constant=f32(2.0**-27), last=True):
    e = np.exp(p.x)
    y = np.zeros_like(e)
    for one in range(4):
        rows = np.flatnonzero(p.at == one)
        y[rows] = e[rows] / (e[rows if last or len(rows) < 9 else rows[:-1]].sum(0) + constant)
    return y


def segment_by_products(p):
    e, hot = np.exp(p.x), (p.at[:, None] == np.arange(4)).astype(f32)
    return e / (hot @ (hot.T @ e) + f32(2.0**-27))


RIGHT = {
    decoding: [decoding_split, decoding_joined_by_lse, decoding_without_maximum, decoding_online],
    ctc: [in_range(one) for one in (ctc_by_probabilities, ctc_scaled, ctc_backwards, ctc_in_logarithms)],
    scan: [scan_plain, scan_by_blocks, scan_by_doubling, scan_as_a_matrix],
    segment_softmax: [segment_by_add_at, segment_by_masks, segment_by_products],
}
FAULTS = {
    "stale_maximum_of_a_split": (decoding, lambda p: decoding_split(p, stale=1)),
    "rescaled_twice": (decoding, lambda p: decoding_split(p, twice=2)),
    "stale_maximum_online": (decoding, lambda p: decoding_online(p, stale=True)),
    "skip_over_equal_labels": (ctc, in_range(lambda p: ctc_by_probabilities(p, [s > 1 and CELLS[s] != 0 for s in range(9)]))),
    "no_skips": (ctc, in_range(lambda p: ctc_by_probabilities(p, [False] * 9))),
    "one_way_forgotten_at_frame_12": (ctc, in_range(lambda p: ctc_by_probabilities(p, drop_at=12))),
    "last_blank_forgotten": (ctc, in_range(lambda p: ctc_by_probabilities(p, blank_end=False))),
    "beta_by_blocks_upwards": (ctc, in_range(lambda p: ctc_backwards(p, block=8))),
    "scale_of_frame_3_forgotten": (ctc, in_range(lambda p: ctc_scaled(p, forgets=3))),
    "carry_of_the_row_before": (scan, lambda p: scan_by_blocks(p, stale=8)),
    "segment_without_its_constant": (segment_softmax, lambda p: segment_by_masks(p, constant=f32(0))),
    "segment_without_its_last_row": (segment_softmax, lambda p: segment_by_masks(p, last=False)),
}  # fmt: skip
