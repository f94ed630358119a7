"""Forms of one function that are equal on paper, which the algebra may not accuse."""

import math

import numpy as np

import assay

f32 = np.float32
LOG2E, LN2 = f32(1.4426950408889634), f32(0.6931471805599453)
EPSILON = f32(1e-5)


def shares(p):
    e = np.exp(p.x - p.x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@assay.operation(x="N, D")
def entropy(xp, x):
    d = x - xp.max(x, axis=-1, keepdims=True)
    total = xp.sum(xp.exp(d), axis=-1, keepdims=True)
    return -xp.sum(xp.exp(d) / total * (d - xp.log(total)), axis=-1)


def entropy_by_mean(p):
    e = np.exp(p.x)
    return np.log(e.sum(-1)) - (p.x * e).sum(-1) / e.sum(-1)


@assay.operation(x="N")
def softplus(xp, x):
    return xp.log1p(xp.exp(x))


@assay.operation(x="N")
def mish(xp, x):
    return x * xp.tanh(xp.log1p(xp.exp(x)))


def mish_by_squares(p):
    square = (1 + np.exp(p.x)) ** 2
    return p.x * (square - 1) / (square + 1)


@assay.operation(x="N of positive")
def three_halves(xp, x):
    return x**1.5


@assay.operation(x="N, D of positive")
def geometric_mean(xp, x):
    return xp.exp(xp.mean(xp.log(x), axis=-1))


@assay.operation(x="N, D", w="D", v="D of positive", b="D")
def batch_norm(xp, x, w, v, b):
    return x / xp.sqrt(v + 1e-5) * w + b


@assay.operation(x="N, D")
def unit_rows(xp, x):
    return x / (xp.sqrt(xp.sum(x * x, axis=-1, keepdims=True)) + 1e-6)


def unit_rows_scaled(p):
    m = np.abs(p.x).max(-1, keepdims=True)
    y = p.x / m
    return y / (np.sqrt((y * y).sum(-1, keepdims=True)) + f32(1e-6) / m)


@assay.operation(x="N, D", y="N, D")
def two_norms(xp, x, y):
    return xp.sqrt(xp.sum(x * x, axis=-1)) + xp.sqrt(xp.sum(y * y, axis=-1))


def scaled_norm(x):
    m = np.abs(x).max(-1)
    return m * np.sqrt(((x / m[:, None]) ** 2).sum(-1))


@assay.operation(x="N, D")
def log_softmax(xp, x):
    d = x - xp.max(x, axis=-1, keepdims=True)
    return d - xp.log(xp.sum(xp.exp(d), axis=-1, keepdims=True))


def log_softmax_by_two(p):
    y = p.x * LOG2E
    y = y - y.max(-1, keepdims=True)
    return (y - np.log2(np.exp2(y).sum(-1, keepdims=True))) * LN2


@assay.operation(q="T, 8", k="T, 8", v="T, 3")
def attention(xp, q, k, v):
    scores = xp.matmul(q, k.T) / 8**0.5
    e = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return xp.matmul(e / xp.sum(e, axis=-1, keepdims=True), v)


def attention_by_two(p):
    scores = p.q @ p.k.T * f32(8**-0.5 * math.log2(math.e))
    m = scores.max(-1, keepdims=True)
    return np.exp2(scores - (m + np.log2(np.exp2(scores - m).sum(-1, keepdims=True)))) @ p.v


def attention_scaled_twice(p):
    scores = (p.q * f32(8**-0.25)) @ (p.k * f32(8**-0.25)).T
    return np.exp(scores - np.log(np.exp(scores).sum(-1, keepdims=True))) @ p.v


@assay.operation(x="N, D")
def deviation(xp, x):
    d = x - xp.mean(x, axis=-1, keepdims=True)
    return xp.sqrt(xp.mean(d * d, axis=-1) + 1e-12)


@assay.operation(x="N, D", limits={"D": 33})
def decayed(xp, x):
    return x * xp.exp(-0.3 * xp.arange(x.shape[1]))


def decays(p):
    return [math.exp(-0.3 * d) for d in range(p.x.shape[1])]


RIGHT = {
    entropy: [entropy_by_mean, lambda p: -(shares(p) * np.log(shares(p))).sum(-1)],
    softplus: [
        lambda p: np.maximum(p.x, 0) + np.log1p(np.exp(-np.abs(p.x))),
        lambda p: np.logaddexp(p.x, f32(0)),
        lambda p: -np.log(1 / (1 + np.exp(p.x))),
        lambda p: p.x - np.log(1 / (1 + np.exp(-p.x))),
    ],
    mish: [mish_by_squares, lambda p: p.x * np.tanh(np.logaddexp(p.x, 0))],
    three_halves: [
        lambda p: p.x * np.sqrt(p.x),
        lambda p: np.sqrt(p.x * p.x * p.x),
        lambda p: np.sqrt(p.x) ** 3,
        lambda p: np.exp(f32(1.5) * np.log(p.x)),
        lambda p: np.power(p.x, f32(1.5)),
        lambda p: p.x * p.x / np.sqrt(p.x),
    ],
    geometric_mean: [
        lambda p: np.prod(p.x, -1) ** f32(1 / p.x.shape[1]),
        lambda p: np.exp(np.log(p.x).sum(-1) / p.x.shape[1]),
        lambda p: np.exp2(np.log2(p.x).mean(-1)),
    ],
    batch_norm: [
        lambda p: p.x * (p.w / np.sqrt(p.v + EPSILON)) + p.b,
        lambda p: p.x * (p.w * (1 / np.sqrt(p.v + EPSILON))) + p.b,
        lambda p: (p.x * p.w + p.b * np.sqrt(p.v + EPSILON)) / np.sqrt(p.v + EPSILON),
    ],
    unit_rows: [unit_rows_scaled, lambda p: p.x / (np.linalg.norm(p.x, axis=-1, keepdims=True) + f32(1e-6))],
    two_norms: [lambda p: scaled_norm(p.y) + np.sqrt((p.x * p.x).sum(-1)), lambda p: scaled_norm(p.x) + scaled_norm(p.y)],
    log_softmax: [log_softmax_by_two],
    attention: [attention_by_two, attention_scaled_twice],
    deviation: [
        lambda p: np.sqrt(p.x.var(-1) + f32(1e-12)),
        lambda p: np.sqrt((p.x * p.x).mean(-1) - p.x.mean(-1) ** 2 + f32(1e-12)),
    ],
}
DOUBTFUL = [
    (decayed, lambda p: p.x * np.array(decays(p), f32)),
    (decayed, lambda p: np.stack([p.x[:, d] * f32(one) for d, one in enumerate(decays(p))], 1)),
    (decayed, lambda p: np.stack([p.x[:, d] * one for d, one in enumerate(decays(p))], 1)),
]
