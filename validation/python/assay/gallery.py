"""Operations as formulas: what people write kernels for, each a few lines, each ready for assay.gate.

    import assay
    from assay.gallery import softmax
    print(assay.gate(softmax, lambda p: my_softmax(p.x)))
"""

from __future__ import annotations

from typing import Any

from ._references import operation


@operation(x="N, D", minus_infinity="x", properties="rows=N permutation=D shift=D monotone=D sums_to_one=D")
def softmax(xp: Any, x: Any) -> Any:
    """exp(x) over its sum. A common offset cancels, so the maximum is subtracted: no exponential overflows, and one is 1.

    Kernels that read x once keep a maximum and a sum, and rescale the sum whenever the maximum grows (online softmax).
    """
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


@operation(x="N, D", minus_infinity="x", properties="rows=N permutation=D shift=D monotone=D")
def log_softmax(xp: Any, x: Any) -> Any:
    """The logarithm of the softmax, as one difference.

    Taking the logarithm of a softmax instead gives -inf where it underflows, and loses the digits of results near 0.
    """
    d = x - xp.max(x, axis=-1, keepdims=True)
    return d - xp.log(xp.sum(xp.exp(d), axis=-1, keepdims=True))


@operation(x="N, D", weight="D", properties="rows=N")
def rms_norm(xp: Any, x: Any, weight: Any) -> Any:
    """x over the root of its mean square, times a weight. The constant keeps a row of zeros from dividing by 0.

    The gradient in x has two parts: the upstream scaled, and its projection on x, which kernels forget. That in the weight
    is a sum over all rows, where partial sums of 16 bits lose most.
    """
    return x / xp.sqrt(xp.mean(x * x, axis=-1, keepdims=True) + 2.0**-17) * weight


@operation(x="N, D", weight="D", bias="D", properties="rows=N")
def layer_norm(xp: Any, x: Any, weight: Any, bias: Any) -> Any:
    """Mean 0 and variance 1 in each row, then a weight and a bias.

    The variance is that of the differences from the mean. E[x^2] - E[x]^2 is equal on paper, and cancels where the mean is
    large beside the spread. Welford's recurrence needs one pass and does not.
    """
    d = x - xp.mean(x, axis=-1, keepdims=True)
    return d / xp.sqrt(xp.mean(d * d, axis=-1, keepdims=True) + 2.0**-17) * weight + bias


@operation(a="M, K", b="K, N", properties="rows=M scaling=K", limits={"M": 129, "K": 1025, "N": 129})
def matmul(xp: Any, a: Any, b: Any) -> Any:
    """The product of two matrices: each element is a sum of K products.

    The order is the kernel's: chains, trees, tiles, split K. Where all partial sums are numbers of the format, as those of
    small integers are, every order gives the same bits, and equality is due.
    """
    return xp.matmul(a, b)


@operation(q="H, T, D", k="H, T, D", v="H, T, D", properties="causal=T rows=H", limits={"H": 3, "T": 65, "D": 65})
def causal_attention(xp: Any, q: Any, k: Any, v: Any) -> Any:
    """Each position averages the values up to its own, weighted by the softmax of scores.

    Flash attention never holds the scores: it walks over tiles of keys, and rescales sum and output when a tile has a larger
    score. A mask that is off by one sees the next token, which the property `causal` notices bit for bit.
    """
    steps = xp.arange(q.shape[1])
    scores = xp.matmul(q, xp.matrix_transpose(k)) * 0.25
    scores = xp.where(steps[:, None] >= steps, scores, -xp.inf)
    e = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return xp.matmul(e / xp.sum(e, axis=-1, keepdims=True), v)


@operation(q="H, T, D", k="S, D", v="S, D", keep="S of flag", limits={"H": 3, "T": 65, "S": 513, "D": 65}, properties="rows=T")
def padded_attention(xp: Any, q: Any, k: Any, v: Any, keep: Any) -> Any:
    """Heads that share keys and values (grouped), scores under a soft cap, keys that may be padding.

    Where all keys are padding the result is 0. Subtracting a maximum of -inf from scores of -inf would make it NaN, and a mask
    of -1e9 would make it the mean of the padding. The cap's slope, 1 - tanh^2, is a factor of the gradient.
    """
    scores = 8 * xp.tanh(xp.matmul(q, xp.matrix_transpose(k)) * (0.25 / 8))
    m = xp.max(xp.where(keep, scores, -xp.inf), axis=-1, keepdims=True)
    e = xp.where(keep, xp.exp(xp.where(keep, scores - m, 0)), 0)
    total = xp.sum(e, axis=-1, keepdims=True)
    return xp.matmul(e / xp.where(total > 0, total, 1), v)


@operation(x="N, T", minus_infinity="x", properties="rows=N causal=T", limits={"T": 33})
def cumulative_log_sum_exp(xp: Any, x: Any) -> Any:
    """The logarithm of the running sum of exponentials.

    A scan by chunks joins two totals by logaddexp again. One maximum for the whole row does not do: early totals may lie so
    far below it that they underflow. Where a row begins with -inf, the total so far is -inf, and -inf less -inf is NaN.
    """
    total, out = -xp.inf, []
    for t in range(x.shape[1]):
        total = xp.logaddexp(total, x[:, t])
        out.append(total)
    return xp.stack(out, axis=1) if out else x


@operation(q="T, D", k="T, D", v="T, D", decay="T of unit", beta="T of unit", properties="causal=T", limits={"T": 33, "D": 5})
def gated_delta_rule(xp: Any, q: Any, k: Any, v: Any, decay: Any, beta: Any) -> Any:
    """A memory that decays and is corrected at a key: S' = a S, then S = S' + b k (v - k S'), read by q.

    Kernels compute a chunk of steps at a time: the corrections of a chunk solve a triangular system (the WY form), and the
    memory is carried from chunk to chunk. Corrections shrink the memory, which bounds by adjoints know.
    """
    state, out = xp.zeros((q.shape[1], q.shape[1])), []
    k = k / xp.sqrt(xp.sum(k * k, axis=-1, keepdims=True) + 2.0**-10)
    for t in range(q.shape[0]):
        key, state = k[t, :, None], state * decay[t]
        state = state + beta[t] * key * (v[t] - xp.sum(key * state, axis=0))
        out.append(xp.sum(q[t, :, None] * state, axis=0))
    return xp.stack(out, axis=0) if out else q


@operation(logits="T, 4, V", labels="3 of index V", limits={"T": 9, "V": 17})
def transducer_loss(xp: Any, logits: Any, labels: Any) -> Any:
    """RNN-T: -log of the sum over all paths of T blanks (entry 0) and 3 labels through the lattice [T, 4].

    A path steps to the next frame by a blank, or to the next label in the same frame; the last step is a blank. CTC's sibling:
    alpha has two ways into a cell, and the same -inf where there is none.
    """
    d = logits - xp.max(logits, axis=-1, keepdims=True)
    y = d - xp.log(xp.sum(xp.exp(d), axis=-1, keepdims=True))
    emit = xp.sum(xp.where(xp.arange(y.shape[2]) == labels[:, None], y[:, :3, :], 0), axis=-1)
    alpha = {(0, 0): 0.0}
    for t in range(y.shape[0]):
        for u in range(4):
            ways = [alpha[t - 1, u] + y[t - 1, u, 0]] if t > 0 else []
            ways += [alpha[t, u - 1] + emit[t, u - 1]] if u > 0 else []
            if ways:
                alpha[t, u] = ways[0] if len(ways) == 1 else xp.logaddexp(*ways)
    return -(alpha[y.shape[0] - 1, 3] + y[y.shape[0] - 1, 3, 0]) if y.shape[0] else xp.zeros(())
