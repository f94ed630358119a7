"""Declarations that widen the bounds as far as they may, by kernels that are right where a bound still says something."""

import numpy as np

import assay
from assay.corpus.plain import KERNELS

from .gallery import attack, right, softmax

BFLOAT16 = {"unit_roundoff": 2.0**-8}
FULL = {"cases": 40, "reach": "quick", "filter": "^outputs$"}
EVERYWHERE = {"cases": 30, "reach": "none", "own_process": False}
COMPARED = {"cce": "^(dhidden|dweight)$", "ctc": "^gradient$", "svd": "^(orthonormal-u|reconstruction|values)$"}


def widened(name, operation, kernel, **declaration):
    def under_a_declaration(p):
        return kernel(p)

    under_a_declaration.__name__ = name
    compared = {"filter": COMPARED[operation]} if operation in COMPARED else {}
    attack("widened", operation, **{**compared, **declaration})(under_a_declaration)


def scaled(operation, factor):
    """The right kernel, whose gradients are all too small or too large."""

    def kernel(p):
        first, *rest = KERNELS[operation](np.float32)(p)
        return (first, *(None if one is None else (one * np.float32(factor)).astype(one.dtype) for one in rest))

    return kernel


def right_up_to(operation, extent, size, otherwise):
    """The right kernel, and something else where an extent is larger."""

    def kernel(p):
        results = KERNELS[operation](np.float32)(p)
        return results if extent(p) <= size else otherwise(p, results)

    return kernel


def no_gradients(p, results):
    first, *rest = results
    return (first, *(None if one is None else np.zeros_like(one) for one in rest))


def unit_vectors(p, results):
    """Orthonormal, and no singular vectors; the norms of columns are no singular values either."""
    b, m, n = p.A.shape
    k = min(m, n)
    U, Vh = (np.broadcast_to(np.eye(*shape, dtype=p.A.dtype), (b, *shape)).copy() for shape in ((m, k), (k, n)))
    norms = np.sort(np.linalg.norm(p.A, axis=1)[:, :k], axis=-1)[:, ::-1] if b else np.zeros((b, k), p.A.dtype)
    return U, norms.astype(p.A.dtype).copy(), Vh


def vocabulary(p):
    return p.weight.shape[0]


def frames(p):
    return p.logits.shape[0]


def rank(p):
    return min(p.A.shape[1:])


widened("cce_whose_gradients_are_a_tenth_too_small", "cce", scaled("cce", 0.9), exp_error=65536, **EVERYWHERE)
widened("cce_whose_gradients_are_doubled", "cce", scaled("cce", 2), unit_roundoff=2.0**-8, **EVERYWHERE)
widened("cce_without_gradients_of_long_vocabularies", "cce", right_up_to("cce", vocabulary, 40, no_gradients),
        exp_error=65536, **EVERYWHERE)  # fmt: skip
widened("cce_without_gradients_in_few_bits", "cce", right_up_to("cce", vocabulary, 24, no_gradients), **BFLOAT16, **EVERYWHERE)
widened("cce_without_gradients_and_few_words", "cce", right_up_to("cce", vocabulary, 24, no_gradients), limits={"V": 48},
        **BFLOAT16, **EVERYWHERE)  # fmt: skip
widened("ctc_without_gradients_of_many_frames", "ctc", right_up_to("ctc", frames, 9, no_gradients), **BFLOAT16, **EVERYWHERE)
widened("ctc_without_gradients_and_few_frames", "ctc", right_up_to("ctc", frames, 9, no_gradients), limits={"T": 16},
        **BFLOAT16, **EVERYWHERE)  # fmt: skip
widened("svd_of_unit_vectors_from_16_on", "svd", right_up_to("svd", rank, 16, unit_vectors), **BFLOAT16, **EVERYWHERE)
widened("svd_of_unit_vectors_up_to_32", "svd", right_up_to("svd", rank, 16, unit_vectors), limits={"M": 32, "N": 32}, **BFLOAT16,
        **EVERYWHERE)  # fmt: skip
widened("svd_of_unit_vectors_in_many_sweeps", "svd", right_up_to("svd", rank, 4, unit_vectors), unit_roundoff=2.0**-11, sweeps=10,
        **EVERYWHERE)  # fmt: skip


def longer_by_drift(p):
    """U and S, longer by what 1000 sweeps could make them."""
    U, S, Vh = KERNELS["svd"](np.float32)(p)
    factor = np.float32(1 + 0.0008 * max(rank(p) - 1, 0))
    return (U * factor).astype(U.dtype), np.where(S < 1e30, S * factor, S).astype(S.dtype), Vh


def of_large_values(p):
    """No singular values below a fifth of the norm."""
    U, S, Vh = KERNELS["svd"](np.float32)(p)
    norm = np.sqrt(np.square(S.astype(float)).sum(-1, keepdims=True))
    return U, np.where(S < 0.2 * norm, 0, S).astype(S.dtype), Vh


widened("svd_longer_by_drift", "svd", longer_by_drift, unit_roundoff=2.0**-18, sweeps=1000, **EVERYWHERE)
widened("svd_of_large_values", "svd", of_large_values, limits={"M": 8, "N": 8}, **BFLOAT16, **EVERYWHERE)


def of_many_terms(most, values):
    """The softmax of rows with up to `most` numbers that count; of others, numbers that are not all the same."""

    def kernel(p):
        y = right(p)
        is_long = np.count_nonzero(y, axis=-1, keepdims=True) > most
        return np.where(is_long, values(y), y).astype(p.x.dtype)

    return kernel


def faint(y):
    return y * np.float32(2.0**-20)


widened("softmax_of_128_terms_among_255", softmax, of_many_terms(128, faint), accumulate="bfloat16", limits={"D": 255}, **FULL)
widened("softmax_of_128_terms", softmax, of_many_terms(128, faint), accumulate="bfloat16", **FULL)
widened("softmax_of_128_terms_in_listed_sizes", softmax, of_many_terms(128, faint), accumulate="bfloat16",
        extents={"D": [*range(1, 100), 200, 256]}, **FULL)  # fmt: skip
widened("softmax_of_1023_terms", softmax, of_many_terms(1023, faint), accumulate="float16", **FULL)
widened("softmax_of_128_terms_in_a_narrow_type", softmax, of_many_terms(128, faint), dtype="bfloat16", compute="bfloat16", **FULL)
widened("softmax_2_percent_too_small", softmax, lambda p: right(p) * np.float32(0.98), exp_error=65536, **FULL)
widened("softmax_of_rounded_inputs", softmax, lambda p: right(p) * np.float32(0.97), input_roundoff=2.0**-8, **FULL)
widened("softmax_of_many_roundings", softmax, lambda p: right(p) * np.float32(0.98), rounds={"e": 30000, "output": 30000}, **FULL)
widened("softmax_of_few_roundings", softmax, lambda p: right(p) * np.float32(0.9), compute="bfloat16", exp_error=4,
        rounds={"e": 4, "output": 4}, **FULL)  # fmt: skip


def steps_of(size):
    """The softmax in steps: nothing of a row whose elements are all smaller."""
    return lambda p: (np.round(right(p) / size) * size).astype(p.x.dtype)


def through_a_large_number(size):
    def road(xp, x):
        e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
        return (e / xp.sum(e, axis=-1, keepdims=True) + size) - size

    return road


for bits in (16, 20, 22):
    widened(f"softmax_by_a_road_through_2_to_the_{bits}", softmax, steps_of(np.float32(2.0 ** (bits - 24))),
            road=through_a_large_number(2.0**bits), **FULL)  # fmt: skip


@assay.operation(a="N, D", b="D, K")
def product(xp, a, b):
    return xp.matmul(a, b)


def short_product(most):
    """The product of matrices, and a millionth of it where more terms than `most` count."""

    def kernel(p):
        y = p.a @ p.b
        terms = (p.a != 0).astype(np.float32) @ (p.b != 0).astype(np.float32)
        return np.where(terms > most, y * np.float32(2.0**-20), y).astype(np.float32)

    return kernel


widened("product_of_partial_sums_in_few_bits", product, short_product(128), partial_sums={"bfloat16": 10**9}, **FULL)
widened("product_of_sums_in_few_bits", product, short_product(128), accumulate="bfloat16", limits={"D": 300}, **FULL)
widened("product_of_factors_in_few_bits", product, lambda p: (p.a @ p.b) * np.float32(0.98), products="bfloat16", **FULL)


def unit(xp, v):
    """Exactly 1, by square roots and squares that lose most digits."""
    start = power = 3 + xp.abs(xp.tanh(v))
    for _ in range(20):
        power = xp.sqrt(power)
    for _ in range(20):
        power = xp.square(power)
    return power / start


@assay.operation(x="N, D")
def moments(xp, x):
    mean = xp.mean(x, axis=-1, keepdims=True)
    return mean, xp.mean((x - mean) ** 2, axis=-1, keepdims=True)


def factored(factor, *results):
    return tuple((one * np.float32(factor)).astype(np.float32) for one in results)


ROAD = {"empty": False, **FULL}
widened("softmax_by_a_road_of_roots", softmax, lambda p: right(p) * np.float32(1.4),
        road=lambda xp, x: softmax.formula(xp, x) * unit(xp, x[0, 0]), **ROAD)  # fmt: skip
widened("product_by_a_road_of_roots", product, lambda p: (p.a @ p.b) * np.float32(0.6),
        road=lambda xp, a, b: xp.matmul(a, b) * unit(xp, a[0, 0]), **ROAD)  # fmt: skip
widened("two_results_by_a_road_of_roots", moments, lambda p: factored(0.65, p.x.mean(-1, keepdims=True), p.x.var(-1, keepdims=True)),
        road=lambda xp, x: tuple(one * unit(xp, x)[:, :1] for one in moments.formula(xp, x)), **ROAD)  # fmt: skip


def lost(y, size):
    """y by a road that loses numbers up to about size."""
    return (y + size) - size


@assay.operation(x="N, D")
def shares(xp, x):
    return softmax.formula(xp, x)


def shares_lost_on_thirds(xp, x):
    """Every third element is lost, on diagonals, so that each row and column keeps some."""
    y = softmax.formula(xp, x)
    at = xp.expand_dims(xp.arange(x.shape[0]), axis=1) + xp.expand_dims(xp.arange(x.shape[1]), axis=0)
    return xp.where(xp.equal(at, 3 * xp.floor(at / 3)), lost(y, 2.0**90), y)


def shares_of_two_thirds(p):
    return np.where(np.indices(p.x.shape).sum(0) % 3 == 0, np.float32(0.25), right(p))


@assay.operation(k="T, D", beta="T")
def decayed(xp, k, beta):
    g = xp.matmul(k, xp.matrix_transpose(k)) * xp.expand_dims(beta, axis=1)
    return k * xp.expand_dims(beta, axis=1), xp.tril(g, k=-1)


def decayed_lost(xp, k, beta):
    rows, triangle = decayed.formula(xp, k, beta)
    return rows, xp.tril(lost(triangle, triangle * 2.0**30), k=-1)


@assay.operation(table="V, D", at="N of index V", rows="N, D")
def added(xp, table, at, rows):
    return xp.add_at(table, at, rows)


def added_lost_beyond_the_first_column(xp, table, at, rows):
    y = xp.add_at(table, at, rows)
    hits = xp.add_at(xp.zeros((table.shape[0],)), at, xp.ones((rows.shape[0],)))
    column = xp.expand_dims(xp.arange(table.shape[1]), axis=0)
    is_lost = xp.logical_and(xp.greater(xp.expand_dims(hits, axis=1), 0), xp.greater(column, 0))
    return xp.where(is_lost, lost(y, (xp.abs(table) + xp.abs(y)) * 2.0**34), y)


def first_column_added(p):
    table = np.array(p.table, np.float32)
    if table.shape[1]:
        np.add.at(table[:, 0], np.asarray(p.at), p.rows[:, 0])
    return table


widened("softmax_of_two_thirds", shares, shares_of_two_thirds, road=shares_lost_on_thirds, **ROAD)
widened("zeros_below_the_diagonal", decayed, lambda p: (p.k * p.beta[:, None], np.zeros((len(p.k), len(p.k)), np.float32)),
        road=decayed_lost, **ROAD)  # fmt: skip
widened("rows_added_in_one_column", added, first_column_added, road=added_lost_beyond_the_first_column, limits={"N": 8}, **FULL)
