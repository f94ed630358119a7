"""Activations, embeddings, convolutions, variances and gradients by hand: right kernels of several makings, and faults that the
algebra finds in them."""

import numpy as np

import assay

f32 = np.float32


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
    gelu: [gelu_by_sigmoid, gelu_factored, gelu_by_exponentials],
    rope: [rope_halves, rope_rotated],
    swiglu: [swiglu_fused, swiglu_by_tanh, swiglu_gated_last],
    convolution: [convolution_by_im2col, convolution_by_einsum, convolution_scattered, convolution_by_winograd],
    variance: [variance_by_moments, variance_by_chan, variance_by_pairs],
}
DOUBTFUL = [
    (rope, lambda p: rope_halves(p, angles=rope_table)),
    (rope, lambda p: rope_halves(p, angles=lambda p: rope_table(p).astype(np.float64) * 1.0000001)),
]
FAULTS = {
    "cubic_constant": (gelu, lambda p: gelu_by_sigmoid(p, cubic=f32(0.04471))),
    "rope_swapped": (rope, lambda p: rope_halves(p, swap=True)),
    "rope_turned_back": (rope, lambda p: rope_rotated(p, sign=1)),
    "half_for_half": (swiglu, lambda p: swiglu_by_tanh(p, half=f32(0.501))),
    "taps_flipped": (convolution, lambda p: convolution_scattered(p, flipped=True)),
    "bias_twice": (convolution, lambda p: convolution_scattered(p, bias=2)),
    "winograd_with_another_quarter": (convolution, lambda p: convolution_by_winograd(p, quarter=f32(0.251))),
    "upstream_of_the_row_before": (faint, None, lambda p: faint_backward(p, shift=1)),
    "upstream_of_another_row": (dot, None, lambda p: dot_backward(p, shift=1)),
    "halves_joined_by_n_less_1": (variance, lambda p: variance_by_chan(p, wrong=1)),
}  # fmt: skip
