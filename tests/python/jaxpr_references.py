"""Functions of JAX that are traced, by name, with their inputs: each is held against JAX's own float64."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

M = dict(x="N, D")
V = dict(x="N")
LABELS = dict(x="N, V", labels="N of index V")
HEADS = dict(q="B, T, H, D", k="B, T, H, D", v="B, T, H, D")


def layer_norm(x, weight, bias):
    normed = (x - jnp.mean(x, -1, keepdims=True)) * lax.rsqrt(jnp.var(x, -1, keepdims=True) + 1e-5)
    return normed * weight + bias


def attention(q, k, v):
    p = nn.softmax(jnp.einsum("bnd,btd->bnt", q, k) / jnp.sqrt(q.shape[-1]))
    return jnp.einsum("bnt,btd->bnd", p, v)


def causal(q, k, v):
    scores = jnp.where(jnp.tril(jnp.ones((len(q), len(k)), bool)), q @ k.T, -jnp.inf)
    return nn.softmax(scores) @ v


def recurrence(x, decay):
    def step(h, row):
        h = h * row[1] + row[0]
        return h, h

    return lax.scan(step, jnp.zeros(x.shape[1]), (x, decay))[1]


REFERENCES = {
    "softmax": (lambda x: nn.softmax(x), M), "log_softmax": (lambda x: nn.log_softmax(x, axis=0), M),
    "logsumexp": (lambda x: nn.logsumexp(x, axis=-1), M), "gelu": (lambda x: nn.gelu(x, approximate=False), V),
    "gelu by tanh": (lambda x: nn.gelu(x), V), "silu": (lambda x: nn.silu(x), V), "glu": (lambda x: nn.glu(x), dict(x="N, 6")),
    "relus": (lambda x: nn.relu(x) + nn.leaky_relu(x) + nn.elu(x) + nn.selu(x) + nn.celu(x) + nn.relu6(x), V),
    "hard": (lambda x: nn.hard_tanh(x) + nn.hard_swish(x) + nn.softplus(x) + nn.sigmoid(x) + nn.log_sigmoid(x), V),
    "layer norm": (layer_norm, dict(x="N, D", weight="D", bias="D")), "standardize": (lambda x: nn.standardize(x), M),
    "std": (lambda x: jnp.std(x, axis=-1, ddof=1), M), "norm": (lambda x: x / jnp.linalg.norm(x, axis=-1, keepdims=True), M),
    "matmul": (lambda a, b: a @ b, dict(a="M, K", b="K, N")), "outer": (lambda x, y: jnp.outer(x, y), dict(x="N", y="M")),
    "attention": (attention, dict(q="B, N, D", k="B, T, D", v="B, T, D")), "causal": (causal, dict(q="T, D", k="T, D", v="T, D")),
    "dot product attention": (lambda q, k, v: nn.dot_product_attention(q, k, v, is_causal=True), HEADS),
    "cross-entropy": (lambda x, labels: -jnp.take_along_axis(nn.log_softmax(x), labels[:, None], axis=-1)[:, 0], LABELS),
    "by index": (lambda x, labels: nn.logsumexp(x, -1) - x[jnp.arange(x.shape[0]), labels], LABELS),
    "one-hot": (lambda x, labels: jnp.sum(nn.one_hot(labels, x.shape[-1]) * x, -1), LABELS),
    "embedding": (lambda x, at: x[at], dict(x="V, D", at="N of index V")),
    "take": (lambda x, at: jnp.take(x, at, axis=1), dict(x="D, V", at="N, M of index V")),
    "add": (lambda x, at, v: x.at[at].add(v), dict(x="V, D", at="N of index V", v="N, D")),
    "segment_sum": (lambda x, at: jax.ops.segment_sum(x, at, num_segments=4), dict(x="N, D", at="N of index 4")),
    "set": (lambda x, v: x.at[1:, ::2].set(v[1:, ::2]), dict(x="N, D", v="N, D")),
    "add at known places": (lambda x: x.at[jnp.array([0, 1, 0])].add(1.5 * x[:3]), M),
    "cumsum": (lambda x: jnp.cumsum(x, axis=0) + lax.cumsum(x, axis=1, reverse=True), M),
    "scans": (lambda x: lax.cummax(x, axis=0) + lax.cumlogsumexp(x, axis=1) + jnp.cumprod(x, 1), M),
    "sort": (lambda x: jnp.sort(x, axis=-1), M), "median": (lambda x: jnp.median(x, axis=-1), M),
    "argmax": (lambda x: jnp.argmax(x, axis=-1), M), "argsort": (lambda x: jnp.argsort(x, axis=-1), M),
    "top_k": (lambda x: lax.top_k(x, 1), M),
    "convolution": (lambda x, w: lax.conv_general_dilated(x, w, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
                    dict(x="N, H, W, C", w="3, 3, C, O")),
    "transposed convolution": (lambda x, w: lax.conv_transpose(x, w, (2,), "SAME", dimension_numbers=("NHC", "HIO", "NHC")),
                               dict(x="N, L, C", w="3, C, O")),
    "grouped convolution": (lambda x, w: lax.conv_general_dilated(x, w, (1,), [(1, 2)], (2,), (2,), feature_group_count=2),
                            dict(x="N, 4, L", w="6, 2, 3")),
    "max pooling": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), dict(x="N, H, W, C")),
    "mean pooling": (lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "SAME") / 4, dict(x="N, H, W, C")),
    "scan": (recurrence, dict(x="T, D", decay="T, D of decay")),
    "associative_scan": (lambda a, x: lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (a, x))[1],
                         dict(a="T, D of decay", x="T, D")),
    "fori_loop": (lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: c * 0.5 + x[i], jnp.zeros(x.shape[1])), M),
    "while_loop": (lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), (0, x))[1], V),
    "cond": (lambda x: lax.cond(x.shape[0] > 2, lambda v: v * 2, lambda v: v + 1, x), V),
    "switch": (lambda x, k: lax.switch(k, [lambda v: v * 2, lambda v: v + 1, jnp.sin], x), dict(x="N", k=" of index 3")),
    "vmap": (jax.vmap(lambda x, w: jnp.dot(x, w), in_axes=(0, None)), dict(x="N, D", w="D")),
    "jit": (jax.jit(lambda x: jnp.tanh(x) ** 3), V), "checkpoint": (jax.checkpoint(lambda x: jnp.sin(x) * 2), V),
    "grad": (jax.grad(lambda x: jnp.sum(jnp.tanh(x) ** 2)), V),
    "pad": (lambda x: jnp.pad(x, ((1, 2), (0, 0))) + lax.pad(x, jnp.zeros((), x.dtype), [(2, 1, 0), (-1, 1, 0)]), M),
    "interior": (lambda x: lax.pad(x, jnp.zeros((), x.dtype), [(0, 0, 2)]), V),
    "split": (lambda x: jnp.split(x, [1], axis=0)[1], M), "triu": (lambda x: jnp.triu(x) + jnp.tril(x, -1) * 2, M),
    "concatenate": (lambda x, y: jnp.concatenate([x[::-1], y], 0).T, dict(x="N, D", y="M, D")),
    "roll": (lambda x: jnp.roll(x, 1, 0) * jnp.flip(x, 1), M),
    "dynamic_slice": (lambda x: lax.dynamic_update_slice(x, lax.dynamic_slice(x, (1, 0), (1, x.shape[1])), (0, 0)), M),
    "where": (lambda x, m: jnp.where(m & (x > 0) | ~m, x, -1e9), dict(x="N, D", m="N, D of flag")),
    "rounding": (lambda x: jnp.clip(x, -1, 1) + jnp.abs(x) + jnp.sign(x) + jnp.floor(x) + jnp.ceil(x) + jnp.round(x), V),
    "powers": (lambda x: x**2.5 + jnp.exp2(x) + jnp.log2(x) + x**-3 + jnp.sqrt(x) + jnp.log10(x), dict(x="N of positive")),
    "two": (lambda x, y: jnp.logaddexp(x, y) + jnp.hypot(x, y) + jnp.maximum(x, y) * jnp.minimum(x, 1), dict(x="N", y="N")),
    "remainders": (lambda x: jnp.mod(x, 0.7) + jnp.fmod(x, 1.3), V), "isfinite": (lambda x: jnp.where(jnp.isfinite(x), x, 0), V),
    "erf": (lambda x: jax.scipy.special.erf(x) + jax.scipy.special.erfc(x) + jnp.expm1(x) + jnp.sinh(x) / jnp.cosh(x), V),
    "reductions": (lambda x: jnp.prod(x, -1) + jnp.max(x, -1) + jnp.min(x, -1) + jnp.any(x > 0, -1) + jnp.all(x > 0, -1), M),
    "a dict": (lambda x: {"b": x * 2, "a": x + 1}, V),
    "a constant": (lambda x: x @ np.float32([[1, 2], [3, 4.5]]), dict(x="N, 2")),
    "types": (lambda x: (x.astype(jnp.float16) * 2).astype(jnp.float32) + (x > 0), V),
}  # fmt: skip
