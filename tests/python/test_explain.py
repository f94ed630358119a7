"""assay.explain: the sub-expression that loses the digits or makes the NaN is named first, and bad arguments by name."""

import math

import numpy as np
import pytest

import assay


def softmax(xp, x):
    e = xp.exp(x)
    return e / xp.sum(e, axis=-1, keepdims=True)


def stable_softmax(xp, x):
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def log_of_softmax(xp, x):
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return xp.log(e / xp.sum(e, axis=-1, keepdims=True))


def variance(xp, x):
    mean = xp.mean(x)
    q = xp.mean(x * x)
    return q - mean * mean


def two_pass_variance(xp, x):
    return xp.mean((x - xp.mean(x)) ** 2)


def logsumexp(xp, x):
    return xp.log(xp.sum(xp.exp(x)))


def line_of(formula, text):
    import inspect

    lines, first = inspect.getsourcelines(formula)
    return first + next(n for n, line in enumerate(lines) if text in line)


@pytest.mark.parametrize(
    "formula, x, dtype, expression, text, event",
    [
        (softmax, [[1, 2, 100]], "float32", "exp(x)", "xp.exp", "exp(100) = inf, exactly 2.68811714e+43"),
        (softmax, [[1, 2, 12]], "float16", "exp(x)", "xp.exp", "exp(12) = inf, exactly 162754.791"),
        (logsumexp, [12, 3], "float16", "exp(x)", "xp.exp", "exp(12) = inf, exactly 162754.791"),
        (logsumexp, [11, 11], "float16", "sum(exp(x))", "xp.sum", "sum of 2 terms = inf, exactly 119748.283"),
        (log_of_softmax, [[0, 300]], "float32", "log(e / sum(e))", "xp.log", "log(0) = -inf, exactly -300"),
        (lambda xp, x: (x - x) / (x - x), [3], "bfloat16", "(x - x) / (x - x)", "lambda", "0 / 0 = NaN"),
    ],
)
def test_names_what_made_the_first_infinity(formula, x, dtype, expression, text, event):
    found = assay.explain(formula, np.array(x, float), dtype=dtype)
    first = found.origins[0].operation
    assert (first.expression, first.event) == (expression, event)
    assert first.line == line_of(formula, text)
    assert found.broken > 0 and "NaN or overflowed" in str(found) and event in str(found)


def test_says_where_the_infinity_became_nan_and_what_underflowed():
    found = assay.explain(softmax, np.array([[1.0, 100]]))
    (origin,) = found.origins
    assert (origin.nan.expression, origin.nan.event) == ("e / sum(e)", "inf / inf = NaN, exactly 1")
    assert origin.place == "output[0, 1]" and math.isnan(origin.became)
    (origin,) = assay.explain(log_of_softmax, np.array([[0.0, 300]])).origins
    assert origin.underflow.event == "exp(-300) = 0, exactly 5.14820022e-131"


@pytest.mark.parametrize(
    "formula, x, dtype, expression",
    [
        (variance, 1000 + np.arange(32) / 32, "float32", "q - mean * mean"),
        (variance, 30 + np.arange(32) / 32, "float16", "q - mean * mean"),
        (lambda xp, x: (xp.exp(x) - 1) / x, [1e-5], "float32", "exp(x) - 1"),
        (lambda xp, x: xp.sqrt(x + 1) - xp.sqrt(x), [1e6], "float32", "sqrt(x + 1) - sqrt(x)"),
        (lambda xp, x: xp.log(1 + x), [1e-6], "float32", "log(1 + x)"),
        (lambda xp, x: 1 - xp.tanh(x), [8], "float32", "1 - tanh(x)"),
        (lambda xp, x: xp.sum(x) - 1e4, np.full(1000, 10.001), "bfloat16", "sum(x)"),
    ],
)
def test_names_what_lost_the_digits(formula, x, dtype, expression):
    found = assay.explain(formula, np.array(x, float), dtype=dtype)
    assert found.large == 1
    assert found.losses[0].expression == expression
    assert found.losses[0].share > 0.5
    assert sum(loss.share for loss in found.losses) == pytest.approx(1, abs=0.02)
    assert f"{found.outputs[0].lost_bits:.1f} bits lost" in str(found)


@pytest.mark.parametrize("formula, x", [(stable_softmax, [[1.0, 2, 300]]), (two_pass_variance, 1000 + np.arange(32) / 32.0)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_accuses_no_formula_that_is_right(formula, x, dtype):
    found = assay.explain(formula, np.array(x), dtype=dtype)
    assert (found.large, found.broken, found.origins) == (0, 0, [])
    assert found.bits == {"float32": 24, "float64": 53}[dtype]
    assert all(one.lost_bits < 8 for one in found.outputs)


def test_float64_can_be_explained_too():
    found = assay.explain(variance, 1e7 + np.arange(32) / 32, dtype="float64")
    assert found.large == 1 and found.losses[0].expression == "q - mean * mean"


def test_what_is_given_is_no_origin():
    found = assay.explain(stable_softmax, np.array([[1, math.nan], [math.inf, 1], [1, 2]]))
    assert found.broken == 4
    assert [one.operation.event for one in found.origins] == ["inf - inf = NaN"], "a NaN that is made of a given infinity"
    assert assay.explain(lambda xp, x: x + 1, np.array([math.inf, -math.inf])).origins == []
    assert assay.explain(lambda xp, x: xp.log(x), np.array([0.0])).broken == 0, "an infinity that is exact"


def test_a_comparison_that_rounding_decides_is_told():
    def step(xp, x):
        s = x + 4096
        return xp.where(s > 4096, s - 4096, -1)

    found = assay.explain(step, np.array([0.5]), dtype="float16")
    assert [one.event for one in found.decided] == ["4096 < 4096 = 0, exactly 1"]
    assert "rounding decides" in str(found)


def test_takes_operations_and_shows_where_in_several_outputs():
    operation = assay.operation(a="N, K", b="K")(lambda xp, a, b: (a + 1, a @ xp.expand_dims(b, -1)))
    found = assay.explain(operation, np.full((2, 3), 0.1), np.array([1, -2, 1.0]), dtype="float16")
    assert [one.place.split("[")[0] for one in found.outputs] == ["output0", "output1"]
    with pytest.raises(ValueError, match="b has K=2: expected 3"):
        assay.explain(operation, np.ones((2, 3)), np.ones(2))


def test_a_notebook_shows_the_lines_with_their_shares_as_text():
    def less(xp, x):
        y = xp.where(x < 2, x + 4096, x)  # <b>
        return y - 4096

    page = assay.explain(less, np.array([0.5]), dtype="float16")._repr_html_()
    assert "# &lt;b&gt;" in page and "<b>" not in page
    assert "rgba(235, 120, 40, " in page and "4096 - 4096 = 0, exactly 0.5" in page


@pytest.mark.parametrize(
    "arguments, options, error, words",
    [
        ((softmax, np.ones((2, 2))), {"dtype": "float8"}, ValueError, "dtype='float8': expected one of float32, float16"),
        ((softmax,), {}, TypeError, "0 arrays: the formula takes 1: x"),
        ((softmax, "text"), {}, TypeError, "str is not an array"),
        ((softmax, np.array(["a"])), {}, TypeError, "x has the type <U1: expected numbers"),
        ((softmax, np.array([1e6])), {"dtype": "float16"}, ValueError, "x has 1e\\+06: expected numbers that float16 can hold"),
        ((lambda xp, a, b: a + b, np.ones(2), np.ones(3)), {}, ValueError, "shapes \\[2\\] and \\[3\\] do not broadcast"),
        ((3, np.ones(2)), {}, TypeError, "3 is no formula: expected an operation"),
        ((softmax, np.ones(2)), {"grid": 3}, TypeError, "grid= is not known: expected dtype="),
        ((lambda xp, x: np.exp(x), np.ones(2)), {}, assay.NotTraceable, "functions of xp"),
    ],
)
def test_refuses_by_name(arguments, options, error, words):
    with pytest.raises(error, match=words):
        assay.explain(*arguments, **options)


SHADER = """#include <metal_stdlib>
using namespace metal;
kernel void variance(device const float* x, device float* y, uint i [[thread_position_in_grid]]) {
  float s = 0, q = 0;
  for (uint k = 0; k < 8; ++k) s += x[8 * i + k], q += x[8 * i + k] * x[8 * i + k];
  y[i] = q / 8 - s / 8 * (s / 8);
}
"""


def test_a_metal_kernel_says_which_line_lost_the_digits():
    kernel = assay.metal.compile(SHADER).variance
    x = (1000 + np.arange(16) / 16).astype(np.float32)
    found = assay.explain(kernel, x, assay.metal.unset(2, "float32"), grid=2)
    assert (found.kernel, found.large, found.lines[0].line) == ("variance", 2, 6)
    assert found.lines[0].share > 0.9 and found.worst[0].lost_bits > 12
    assert "6 |   y[i] = q / 8" in str(found) and "/tmp" not in str(found)
    assert found.reports[0].check == "numcheck" and found._repr_html_().startswith("<iframe srcdoc=\"&lt;!doctype")


def test_a_metal_kernel_that_makes_a_nan_is_explained_and_one_that_is_wrong_is_refused():
    kernel = assay.metal.compile(SHADER).variance
    found = kernel.explain(np.full(8, 1e30, np.float32), assay.metal.unset(1, "float32"), grid=1)
    assert [report.event.line for report in found.reports] == [5] and "infinity" in found.reports[0].message
    assert found.reports[0].event.file == "source.metal"
    with pytest.raises(assay.metal.CheckError, match="memcheck"):
        kernel.explain(np.ones(8, np.float32), assay.metal.unset(1, "float32"), grid=2)
    with pytest.raises(ValueError, match="1 arguments: expected 2"):
        kernel.explain(np.ones(8, np.float32), grid=2)


def test_a_recurrence_is_told_by_its_step_and_no_copy_is_blamed():
    def scan(xp, x):
        h = x[0]
        for t in range(1, 12):
            h = xp.logaddexp(h * 0.5 + x[t], h - x[t])
        return xp.stack([h, h])

    found = assay.explain(scan, np.linspace(-1, 1, 12), dtype="float16")
    assert any(loss.expression == "logaddexp(h * 0.5 + x[...], h - x[...])" for loss in found.losses)
    assert len(found.losses) <= 5 and all(len(loss.expression) <= 60 for loss in found.losses)
    assert not any("gather" in loss.event for loss in found.losses)


def test_an_index_that_the_type_cannot_hold_is_refused():
    @assay.operation(table="V", at="N of index V")
    def looked_up(xp, table, at):
        return table[at]

    table = np.linspace(0, 1, 300)
    assert not assay.explain(looked_up, table, np.array([256, 299]), dtype="float16").losses
    with pytest.raises(ValueError, match="at has the index 299: expected indices that bfloat16 holds"):
        assay.explain(looked_up, table, np.array([256, 299]), dtype="bfloat16")
