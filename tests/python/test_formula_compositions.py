"""Functions of xp that are composed of others: their values are NumPy's, and kernels of them are judged."""

import numpy as np
import pytest

import assay

f32 = np.float32
RANDOM = np.random.default_rng(3)
A, B = RANDOM.normal(size=(3, 4)), RANDOM.normal(size=(4, 5))
C, WHOLE = RANDOM.normal(size=(3, 4, 4)), RANDOM.integers(-2, 3, size=(3, 4)).astype(float)

VALUES = {
    "square": (lambda xp, x: xp.square(x), A), "reciprocal": (lambda xp, x: xp.reciprocal(x), A),
    "clip": (lambda xp, x: xp.clip(x, -0.5, 0.5), A), "clip below": (lambda xp, x: xp.clip(x, max=0.25), A),
    "exp2": (lambda xp, x: xp.exp2(x), A), "log2": (lambda xp, x: xp.log2(xp.abs(x)), A),
    "log10": (lambda xp, x: xp.log10(xp.abs(x)), A),
    "ceil": (lambda xp, x: xp.ceil(x), A), "trunc": (lambda xp, x: xp.trunc(3 * x), A),
    "comparisons": (lambda xp, x: (xp.greater(x, 0), xp.greater_equal(x, 1), xp.not_equal(x, 1), x != 0), WHOLE),
    "logic": (lambda xp, x: (xp.logical_and(x, x - 1), xp.logical_or(x, x - 1), xp.logical_xor(x, x - 1)), WHOLE),
    "logical_not": (lambda xp, x: xp.logical_not(x), WHOLE),
    "all and any": (lambda xp, x: (xp.all(x, axis=1), xp.any(x, axis=0), xp.all(x != 9)), WHOLE),
    "classes": (lambda xp, x: (xp.isnan(x / x), xp.isinf(1 / xp.abs(x)), xp.isfinite(1 / x)), WHOLE),
    "var": (lambda xp, x: (xp.var(x), xp.var(x, axis=1, correction=1), xp.std(x, axis=0, keepdims=True)), A),
    "constants": (lambda xp, x: x + xp.eye(3, 4, k=1) + xp.full((3, 4), 2.0) + xp.full_like(x, 3), A),
    "ones and zeros": (lambda xp, x: x + xp.ones_like(x) - xp.zeros_like(x), A),
    "linspace": (lambda xp, x: x * xp.linspace(0, 1, 4), A), "swapaxes": (lambda xp, x: xp.swapaxes(x, 0, 2), C),
    "tile": (lambda xp, x: xp.tile(x, (2, 3)), A), "unstack": (lambda xp, x: xp.unstack(x, axis=1)[2], A),
    "diff": (lambda xp, x: (xp.diff(x), xp.diff(x, axis=0)), A),
    "meshgrid": (lambda xp, x: (*xp.meshgrid(x[0], x[:, 1]), *xp.meshgrid(x[0], x[:, 1], x[1], indexing="ij")), A),
    "scans": (lambda xp, x: (xp.cumulative_prod(x), xp.cumulative_max(x, axis=1), xp.cumulative_min(x, axis=0)), C),
    "powers": (lambda xp, x: (x**3, x**-2, xp.abs(x) ** 0.5, xp.abs(x) ** -1.5, x**0, x**1, 2**x, xp.abs(x) ** x, x**7), A),
}  # fmt: skip
CUMULATIVE = {"cumulative_prod": np.cumprod, "cumulative_max": np.maximum.accumulate, "cumulative_min": np.minimum.accumulate}


class ByNumPy:
    """NumPy's own functions where it has them under another name or with other words."""

    def __getattr__(self, name):
        if name in CUMULATIVE:
            return lambda x, *, axis=-1: CUMULATIVE[name](x, axis=axis)
        if name in ("var", "std"):
            return lambda x, *, correction=0, **options: getattr(np, name)(x, ddof=correction, **options)
        if name == "unstack":
            return lambda x, *, axis=0: list(np.moveaxis(x, axis, 0))
        if name == "clip":
            return lambda x, min=None, max=None: np.clip(x, min, max)
        return getattr(np, name)


def values_of(formula, *arrays):
    names = "xyz"[: len(arrays)]
    shapes = {name: ", ".join(map(str, one.shape)) for name, one in zip(names, arrays)}
    taking = {1: lambda xp, x: formula(xp, x), 2: lambda xp, x, y: formula(xp, x, y), 3: lambda xp, x, y, z: formula(xp, x, y, z)}
    return assay.operation(**shapes)(taking[len(arrays)]).truth(*arrays, digits=30)


def expect_equal(got, want):
    want = want if isinstance(want, (tuple, list)) else (want,)
    assert len(got) == len(want)
    for one, due in zip(got, want):
        np.testing.assert_allclose(np.array(one, float), np.asarray(due, float).reshape(-1), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", VALUES)
def test_values_are_those_of_numpy(name):
    formula, x = VALUES[name]
    with np.errstate(all="ignore"):
        want = formula(ByNumPy(), x)
        expect_equal(values_of(formula, x)["outputs"], want)
        again = assay.operation(x=", ".join(map(str, x.shape)))(lambda xp, x: formula(xp, x))(x)
    for one, due in zip(again if isinstance(again, tuple) else (again,), want if isinstance(want, tuple) else (want,)):
        np.testing.assert_allclose(one, due, rtol=1e-13, err_msg="called with arrays")


@pytest.mark.parametrize(
    "subscripts, arrays",
    [("ij,jk->ik", (A, B)), ("ij,jk", (A, B)), ("bij,bjk->bik", (C, C)), ("ij->ji", (A,)), ("bii->b", (C,)), ("bij->", (C,)),
     ("ij,ij->ij", (A, A)), ("i,j->ij", (A[:, 0], B[0])), ("bij,jk,ik->bk", (C, B, B)), ("...ij,jk->...ik", (C, B)),
     ("i...,i...->...", (A, A)), ("bij,bij->b", (C, C)), ("bij,ck->jbci", (C, B)), ("ij,kl->k", (A, B))],
)  # fmt: skip
def test_einsum_is_that_of_numpy(subscripts, arrays):
    expect_equal(values_of(lambda xp, *xs: xp.einsum(subscripts, *xs), *arrays)["outputs"], np.einsum(subscripts, *arrays))


def test_products_of_the_array_api():
    expect_equal(values_of(lambda xp, x, y: xp.tensordot(x, y, axes=1), A, B)["outputs"], np.tensordot(A, B, axes=1))
    pair = ([1, 2], [2, 1])
    expect_equal(values_of(lambda xp, x, y: xp.tensordot(x, y, axes=pair), C, C)["outputs"], np.tensordot(C, C, axes=pair))
    expect_equal(values_of(lambda xp, x, y: xp.vecdot(x, y, axis=0), A, A)["outputs"], (A * A).sum(0))


@pytest.mark.parametrize(
    "subscripts, says",
    [("ij,jk->ik", "2 operands|1 operands: expected 2"), ("ijk->i", "expected a letter for each axis"),
     ("ij->k", "expected different letters"), ("ij->ii", "expected different letters"), ("ii->i", "i is 8 and 3: expected one extent")],
)  # fmt: skip
def test_einsum_says_what_it_expects(subscripts, says):
    with pytest.raises(ValueError, match=says):
        assay.operation(x="8, 3")(lambda xp, x: xp.einsum(subscripts, x)).trace({})


@assay.operation(x="N, D")
def unbiased(xp, x):
    return xp.var(x, axis=-1, correction=1)


def unbiased_plain(p):
    return (np.sum((p.x - p.x.mean(-1, keepdims=True)) ** 2, -1) / f32(max(p.x.shape[1] - 1, 0))).astype(f32)


def unbiased_welford(p):
    mean, squares = np.zeros(len(p.x), f32), np.zeros(len(p.x), f32)
    for k in range(p.x.shape[1]):
        step = p.x[:, k] - mean
        mean += step / f32(k + 1)
        squares += step * (p.x[:, k] - mean)
    return squares / f32(max(p.x.shape[1] - 1, 0))


def unbiased_by_n(p):
    return p.x.var(-1)


def unbiased_by_squares(p):
    return ((p.x**2).mean(-1) - p.x.mean(-1) ** 2) * f32(p.x.shape[1]) / f32(max(p.x.shape[1] - 1, 0))


@assay.operation(x="B, T of unit", limits={"T": 257})
def survival(xp, x):
    return xp.cumulative_prod(x, axis=1)


def survival_in_turn(p):
    return np.cumprod(p.x, 1, dtype=f32)


def survival_backwards_in_blocks(p, width=32):
    y, before = np.empty_like(p.x), np.ones((len(p.x), 1), f32)
    for at in range(0, p.x.shape[1], width):
        y[:, at : at + width] = np.cumprod(p.x[:, at : at + width], 1, dtype=f32) * before
        before = y[:, at : at + width][:, -1:]
    return y


def survival_of_blocks(p, width=32):
    y = np.empty_like(p.x)
    for at in range(0, p.x.shape[1], width):
        y[:, at : at + width] = np.cumprod(p.x[:, at : at + width], 1, dtype=f32)
    return y


@assay.operation(q="B, T, D", k="B, S, D", limits={"T": 33, "S": 33, "D": 65})
def scores(xp, q, k):
    return xp.einsum("btd,bsd->bts", q, k)


def scores_plain(p):
    return p.q @ np.swapaxes(p.k, 1, 2)


def scores_in_order(p):
    out = np.zeros(p.q.shape[:2] + p.k.shape[1:2], f32)
    for d in range(p.q.shape[2]):
        out += p.q[:, :, None, d] * p.k[:, None, :, d]
    return out


def scores_of_another_row(p):
    return p.q @ np.swapaxes(p.k[::-1], 1, 2)


@assay.operation(x="N, D", limits={"D": 257})
def running(xp, x):
    return xp.cumulative_max(x, axis=1)


def running_backward(p):
    """Each result's goes to the last element that has the maximum, from the first result to the last."""
    out, best = np.zeros_like(p.x), np.zeros(len(p.x), int)
    rows = np.arange(len(p.x))
    for k in range(p.x.shape[1]):
        best = np.where(p.x[:, k] >= p.x[rows, best], k, best)
        out[rows, best] += p.upstream[:, k]
    return out


def running_backward_from_the_end(p):
    at = np.array([[np.argmax(row[: k + 1]) for k in range(len(row))] for row in p.x], int).reshape(p.x.shape)
    out, rows = np.zeros_like(p.x), np.arange(len(p.x))
    for k in reversed(range(p.x.shape[1])):
        out[rows, at[:, k]] += p.upstream[:, k]
    return out


def running_backward_in_place(p):
    return np.where(np.maximum.accumulate(p.x, 1) == p.x, p.upstream, f32(0))


def test_the_gradient_of_a_running_maximum_may_be_added_in_any_order():
    for right in (running_backward, running_backward_from_the_end):
        assert not running.gate(backward=right, cases=60).failures, right.__name__
    assert running.gate(backward=running_backward_in_place, cases=60).failures


@pytest.mark.parametrize("upstream", [1.1, 1.3333])
def test_the_gradient_of_a_maximum_that_comes_first_is_a_long_sum_of_equal_numbers(upstream):
    """Errors of equal numbers all have one sign: a bound on pairwise sums accuses a kernel that adds in a row."""
    x = RANDOM.normal(size=(1, 257)).astype(f32)
    x[0, 0] = 10
    given = {"x": x, "upstream0": np.full((1, 257), upstream, f32)}
    for right in (running_backward, running_backward_from_the_end):
        assert not running.gate(backward=right, input=given, filter="gradient", reach="none", cases=1).failures
    wrong = running.gate(backward=lambda p: running_backward(p) * f32(1 + 2.0**-14), input=given, filter="gradient", cases=1)
    assert wrong.failures


@assay.operation(x="N, D")
def spread(xp, x):
    return xp.std(x, axis=1)


def spread_backward(p, where_there_is_none=0.0, factor=f32(1)):
    d = p.x - p.x.mean(1, keepdims=True)
    s = np.sqrt((d * d).mean(1, keepdims=True))
    return np.where(s == 0, f32(where_there_is_none), factor * d / s * (p.upstream[:, None] / f32(p.x.shape[1] or 1)))


def test_where_there_is_no_derivative_any_number_is_right():
    """The root of a variance of 0. PyTorch has 0 there, and the formula itself NaN."""
    for none in (0.0, np.nan):
        result = spread.gate(backward=lambda p, none=none: spread_backward(p, none), cases=60, empty=False)
        assert not result.failures, str(result)
    assert spread.gate(backward=lambda p: spread_backward(p, factor=f32(1.001)), cases=60, empty=False).failures


@np.errstate(all="ignore")
def failures(operation, kernel):
    return operation.gate(kernel, cases=60).failures


@pytest.mark.parametrize(
    "operation, right, faulty",
    [(unbiased, (unbiased_plain, unbiased_welford), (unbiased_by_n, unbiased_by_squares)),
     (survival, (survival_in_turn, survival_backwards_in_blocks), (survival_of_blocks,)),
     (scores, (scores_plain, scores_in_order), (scores_of_another_row,))],
    ids=lambda one: getattr(one, "name", ""),
)  # fmt: skip
def test_right_kernels_pass_and_faulty_ones_fail(operation, right, faulty):
    for kernel in right:
        assert not failures(operation, kernel), (kernel.__name__, failures(operation, kernel))
    for kernel in faulty:
        assert "outputs" in failures(operation, kernel), kernel.__name__
