"""Operations with right kernels of several makings, which the algebra may not accuse, and faults that it finds in them."""

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


def ctc_backwards(p):
    """beta, from the last frame to the first."""
    y = probabilities(p)[:, :, list(CELLS)]
    beta = np.zeros_like(y[:, 0])
    beta[:, 7:] = 1
    for t in range(y.shape[1] - 1, 0, -1):
        ahead = beta * y[:, t]
        beta = ahead.copy()
        beta[:, :-1] += ahead[:, 1:]
        beta[:, :-2] += ahead[:, 2:] * np.array(SKIPS[2:]).astype(f32)
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


@assay.operation(x="N")
def gelu(xp, x):
    return 0.5 * x * (1 + xp.tanh((2 / xp.pi) ** 0.5 * (x + 0.044715 * x**3)))


def gelu_by_sigmoid(p, cubic=f32(0.044715)):
    z = f32(2 * 0.7978845608) * (p.x + cubic * p.x * p.x * p.x)
    return p.x / (1 + np.exp(-z))


def gelu_factored(p):
    z = f32(0.79788456) * p.x * (1 + f32(0.044715) * p.x * p.x)
    return f32(0.5) * p.x * (1 + np.tanh(z))


def gelu_by_exponentials(p):
    e = np.exp(2 * np.sqrt(f32(2) / f32(np.pi)) * (p.x + f32(0.044715) * p.x**3))
    return p.x * e / (e + 1)


@assay.operation(x="T, 8", limits={"T": 33})
def rope(xp, x):
    at = xp.arange(x.shape[0])[:, None]
    angle = at * 10000.0 ** (xp.arange(4) * -0.25)
    a, b = x[:, :4], x[:, 4:]
    return xp.concat([a * xp.cos(angle) - b * xp.sin(angle), a * xp.sin(angle) + b * xp.cos(angle)], axis=-1)


def rope_angles(p):
    return np.arange(len(p.x)).astype(f32)[:, None] * np.power(f32(10_000), f32(-0.25) * np.arange(4).astype(f32))


def rope_table(p):
    """Angles of which nobody can see how they came about."""
    return np.arange(len(p.x)).astype(f32)[:, None] * np.array([1, 0.1, 0.01, 0.001], f32)


def rope_halves(p, swap=False, angles=rope_angles):
    cos, sin = np.cos(angles(p)), np.sin(angles(p))
    a, b = p.x[:, :4], p.x[:, 4:]
    return np.concatenate([a * cos - b * sin, (b if swap else a) * sin + (a if swap else b) * cos], axis=-1)


def rope_rotated(p, sign=-1):
    cos, sin = (np.concatenate([one, one], axis=-1) for one in (np.cos(rope_angles(p)), np.sin(rope_angles(p))))
    turned = np.concatenate([sign * p.x[:, 4:], p.x[:, :4]], axis=-1)
    return p.x * cos + turned * sin


@assay.operation(x="N, D", w="D, 3", u="D, 3", limits={"N": 5, "D": 65})
def swiglu(xp, x, w, u):
    gate = xp.matmul(x, w)
    return gate / (1 + xp.exp(-gate)) * xp.matmul(x, u)


def swiglu_fused(p):
    both = p.x @ np.concatenate([p.w, p.u], axis=1)
    gate, up = both[:, :3], both[:, 3:]
    return gate * up * (f32(1) / (f32(1) + np.exp(-gate)))


def swiglu_by_tanh(p, half=f32(0.5)):
    gate = p.x @ p.w
    return gate * (half + f32(0.5) * np.tanh(f32(0.5) * gate)) * (p.x @ p.u)


def swiglu_gated_last(p):
    gate, up = p.x @ p.w, p.x @ p.u
    e = np.exp(gate)
    return gate * up * e / (1 + e)


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


@assay.operation(x="N, T, 2", w="3, 2, 4", b="4", limits={"N": 3, "T": 33})
def convolution(xp, x, w, b):
    """Three taps along T with one zero on either side."""
    zero = xp.zeros((x.shape[0], 1, 2))
    wide = xp.concat([zero, x, zero], axis=1)
    T = x.shape[1]
    return sum(xp.matmul(wide[:, k : k + T], w[k]) for k in range(3)) + b


def padded(x):
    wide = np.zeros((x.shape[0], x.shape[1] + 2, 2), x.dtype)
    wide[:, 1:-1] = x
    return wide


def convolution_by_im2col(p):
    wide, T = padded(p.x), p.x.shape[1]
    columns = np.stack([wide[:, k : k + T] for k in range(3)], axis=2).reshape(len(p.x), T, 6)
    return columns @ p.w.reshape(6, 4) + p.b


def convolution_by_einsum(p):
    wide, T = padded(p.x), p.x.shape[1]
    return np.einsum("ntkc,kco->nto", np.stack([wide[:, k : k + T] for k in range(3)], axis=2), p.w) + p.b


def convolution_scattered(p, flipped=False, bias=1):
    y = np.zeros((*p.x.shape[:2], 4), f32) + bias * p.b
    for k in range(3):
        part = p.x @ p.w[2 - k if flipped else k]
        low, high = max(0, 1 - k), min(p.x.shape[1], p.x.shape[1] + 1 - k)
        y[:, low:high] += part[:, low + k - 1 : high + k - 1]
    return y


def convolution_by_winograd(p, quarter=f32(0.25)):
    """F(2, 3): two results of four products."""
    wide, T = padded(p.x), p.x.shape[1]
    g = [p.w[0], (p.w[0] + p.w[1] + p.w[2]) / 2, (p.w[0] - p.w[1] + p.w[2]) * (2 * quarter), p.w[2]]
    y = np.zeros((len(p.x), T, 4), f32)
    for t in range(0, T, 2):
        d = [wide[:, t + k] if t + k < T + 2 else np.zeros((len(p.x), 2), f32) for k in range(4)]
        m = [(d[0] - d[2]) @ g[0], (d[1] + d[2]) @ g[1], (d[2] - d[1]) @ g[2], (d[1] - d[3]) @ g[3]]
        y[:, t] = m[0] + m[1] + m[2]
        if t + 1 < T:
            y[:, t + 1] = m[1] - m[2] - m[3]
    return y + p.b


@assay.operation(x="N, D", limits={"N": 5})
def variance(xp, x):
    d = x - xp.mean(x, axis=-1, keepdims=True)
    return xp.mean(d * d, axis=-1)


def variance_by_moments(p):
    n = f32(p.x.shape[1])
    return (p.x * p.x).sum(-1) / n - (p.x.sum(-1) / n) ** 2


def variance_by_chan(p, wrong=0):
    """Two halves joined (Chan, Golub and LeVeque 1979)."""
    half = p.x.shape[1] // 2
    a, b = p.x[:, :half], p.x[:, half:]
    if half == 0:
        return variance_by_moments(p)
    means = [one.sum(-1, keepdims=True) / f32(one.shape[1]) for one in (a, b)]
    squares = [((one - m) ** 2).sum(-1) for one, m in zip((a, b), means)]
    between = (means[1] - means[0])[:, 0] ** 2 * f32(half * (p.x.shape[1] - half - wrong) / p.x.shape[1])
    return (squares[0] + squares[1] + between) / f32(p.x.shape[1])


def variance_by_pairs(p):
    """Half the mean square of the differences."""
    n = p.x.shape[1]
    if n > 200:
        return variance_by_moments(p)
    return ((p.x[:, :, None] - p.x[:, None, :]) ** 2).sum((1, 2)) / f32(2 * n * n)


@assay.operation(x="N")
def faint(xp, x):
    return x + xp.exp(-20.0 - x * x)


def faint_backward(p, factor=2, shift=0, power=1):
    weight = np.exp(f32(-20) - p.x * p.x) ** power
    return p.upstream - np.roll(p.upstream, shift) * (factor * p.x * weight)


def faint_in_two_steps(p):
    """The gradient in p, and from there in x."""
    weight = np.exp(f32(-20) - p.x * p.x)
    of_weight = p.upstream * weight
    return p.upstream + of_weight * (-p.x) + of_weight * (-p.x)


@assay.operation(a="N, D", b="D")
def dot(xp, a, b):
    return xp.sum(a * b, axis=-1)


def dot_backward(p, left_out=None, shift=0):
    g = np.roll(p.upstream, shift)
    if left_out is not None and len(g) > 8_000:
        g = np.concatenate([g[:left_out], np.zeros(1, f32), g[left_out + 1 :]])
    return p.upstream[:, None] * p.b, g @ p.a


BACKWARD = {faint: [faint_backward, faint_in_two_steps], dot: [dot_backward]}
HIDDEN_BACKWARD = {
    "factor_2_forgotten": (faint, lambda p: faint_backward(p, factor=1)),
    "sign_of_the_faint_term": (faint, lambda p: faint_backward(p, factor=-2)),
    "faint_term_forgotten": (faint, lambda p: faint_backward(p, factor=0)),
    "weight_squared": (faint, lambda p: faint_backward(p, power=2)),
    **{f"row_{k}_of_the_batch_left_out": (dot, lambda p, k=k: dot_backward(p, left_out=k)) for k in (0, 5_000, 8_000)},
}  # fmt: skip


RIGHT = {
    decoding: [decoding_split, decoding_joined_by_lse, decoding_without_maximum, decoding_online],
    ctc: [in_range(one) for one in (ctc_by_probabilities, ctc_scaled, ctc_backwards, ctc_in_logarithms)],
    gelu: [gelu_by_sigmoid, gelu_factored, gelu_by_exponentials],
    rope: [rope_halves, rope_rotated],
    swiglu: [swiglu_fused, swiglu_by_tanh, swiglu_gated_last],
    scan: [scan_plain, scan_by_blocks, scan_by_doubling, scan_as_a_matrix],
    segment_softmax: [segment_by_add_at, segment_by_masks, segment_by_products],
    convolution: [convolution_by_im2col, convolution_by_einsum, convolution_scattered, convolution_by_winograd],
    variance: [variance_by_moments, variance_by_chan, variance_by_pairs],
}
DOUBTFUL = [
    (rope, lambda p: rope_halves(p, angles=rope_table)),
    (rope, lambda p: rope_halves(p, angles=lambda p: rope_table(p).astype(np.float64) * 1.0000001)),
]
FAULTS = {
    "stale_maximum_of_a_split": (decoding, lambda p: decoding_split(p, stale=1)),
    "rescaled_twice": (decoding, lambda p: decoding_split(p, twice=2)),
    "stale_maximum_online": (decoding, lambda p: decoding_online(p, stale=True)),
    "skip_over_equal_labels": (ctc, in_range(lambda p: ctc_by_probabilities(p, [s > 1 and CELLS[s] != 0 for s in range(9)]))),
    "no_skips": (ctc, in_range(lambda p: ctc_by_probabilities(p, [False] * 9))),
    "one_way_forgotten_at_frame_12": (ctc, in_range(lambda p: ctc_by_probabilities(p, drop_at=12))),
    "last_blank_forgotten": (ctc, in_range(lambda p: ctc_by_probabilities(p, blank_end=False))),
    "scale_of_frame_3_forgotten": (ctc, in_range(lambda p: ctc_scaled(p, forgets=3))),
    "cubic_constant": (gelu, lambda p: gelu_by_sigmoid(p, cubic=f32(0.04471))),
    "rope_swapped": (rope, lambda p: rope_halves(p, swap=True)),
    "rope_turned_back": (rope, lambda p: rope_rotated(p, sign=1)),
    "half_for_half": (swiglu, lambda p: swiglu_by_tanh(p, half=f32(0.501))),
    "carry_of_the_row_before": (scan, lambda p: scan_by_blocks(p, stale=8)),
    "segment_without_its_constant": (segment_softmax, lambda p: segment_by_masks(p, constant=f32(0))),
    "segment_without_its_last_row": (segment_softmax, lambda p: segment_by_masks(p, last=False)),
    "taps_flipped": (convolution, lambda p: convolution_scattered(p, flipped=True)),
    "bias_twice": (convolution, lambda p: convolution_scattered(p, bias=2)),
    "winograd_with_another_quarter": (convolution, lambda p: convolution_by_winograd(p, quarter=f32(0.251))),
    "upstream_of_the_row_before": (faint, None, lambda p: faint_backward(p, shift=1)),
    "upstream_of_another_row": (dot, None, lambda p: dot_backward(p, shift=1)),
    "halves_joined_by_n_less_1": (variance, lambda p: variance_by_chan(p, wrong=1)),
}  # fmt: skip
