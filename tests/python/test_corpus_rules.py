"""Each rule of the corpus with a right result, a NaN, an infinity and one wrong element; and narrow arithmetic."""

import numpy as np
import pytest

from assay.corpus.narrow import EagerNames, bfloat16, bits, eager, half, wide
from assay.corpus.rules import RULES, Try, allclose

EXACT = np.random.default_rng(1).standard_normal((16, 16))
EAGER = EXACT.astype(np.float32).astype(np.float64)


def tries(got, exact=EXACT, by_eager=EAGER, dtype="float32"):
    return [Try([got], [by_eager], [exact], [dtype])]


def with_element(value):
    got = np.array(EAGER)
    got[3, 5] = value
    return got


CONTROLS = tries(EAGER)
EACH = pytest.mark.parametrize("rule", RULES, ids=lambda one: one.name)


@EACH
def test_a_right_result_is_accepted(rule):
    assert rule.accepts(tries(EAGER), CONTROLS)


@EACH
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, EXACT[3, 5] + 1])
def test_one_wrong_element_is_refused(rule, value):
    assert not rule.accepts(tries(with_element(value)), CONTROLS)


@EACH
def test_another_shape_is_refused(rule):
    assert not rule.accepts(tries(EAGER[:, :8]), CONTROLS)


@EACH
def test_the_last_of_several_tries_counts(rule):
    assert not rule.accepts(tries(EAGER) + tries(with_element(9)), CONTROLS)


@pytest.mark.parametrize("name, accepts", [
    ("torch.allclose, defaults", True), ("KernelBench", True), ("torchtitan", True),
    ("gpuemu, calibrated", False), ("FlashInfer-Bench", False), ("2 x eager, float64", False),
])  # fmt: skip
def test_an_infinity_that_is_due(name, accepts):
    (rule,) = [one for one in RULES if one.name == name]
    due = np.array([[np.inf, 1.0]])
    with np.errstate(invalid="ignore"):
        assert rule.accepts(tries(due, due, due), tries(due, due, due)) is accepts


@pytest.mark.parametrize("name, dtype, error, accepts", [
    ("torch.allclose, defaults", "float32", 0.9e-5, True), ("torch.allclose, defaults", "float32", 1.2e-5, False),
    ("KernelBench", "float32", 1.9e-4, True), ("KernelBench", "float32", 2.1e-4, False),
    ("KernelBench", "bfloat16", 1.9e-2, True), ("KernelBench", "bfloat16", 2.1e-2, False),
    ("FlashInfer-Bench", "float32", 0.9e-2, True), ("FlashInfer-Bench", "float32", 1.1e-2, False),
    ("gpuemu, calibrated", "float32", 1.4e-5, True), ("gpuemu, calibrated", "float32", 1.6e-5, False),
    ("torchtitan", "float32", 1.9e-5, True), ("torchtitan", "float32", 2.2e-5, False),
    ("2 x eager, float64", "float32", 1.9e-5, True), ("2 x eager, float64", "float32", 2.2e-5, False),
])  # fmt: skip
def test_the_tolerances_are_those_of_the_sources(name, dtype, error, accepts):
    (rule,) = [one for one in RULES if one.name == name]
    exact, off = np.ones((4, 4)), np.ones((4, 4)) + 1e-5  # eager mode, and the control, are off by 1e-5
    against_eager = name in ("torch.allclose, defaults", "KernelBench", "FlashInfer-Bench")
    got = exact + error
    by_eager = exact if against_eager else off
    assert rule.accepts(tries(got, exact, by_eager, dtype), tries(off, exact, off, dtype)) is accepts


def test_where_eager_mode_is_off_by_more_than_a_tenth_the_rule_of_torchtitan_says_nothing():
    (rule,) = [one for one in RULES if one.name == "torchtitan"]
    exact = np.ones((4, 4))
    assert rule.accepts(tries(exact + 9, exact, exact * 1.2), CONTROLS)


def test_allclose_takes_equal_infinities_and_no_nan():
    inf, nan = np.array([np.inf]), np.array([np.nan])
    with np.errstate(invalid="ignore"):
        assert allclose(inf, inf, 1e-5, 1e-8) and not allclose(inf, -inf, 1e-5, 1e-8)
        assert not allclose(nan, nan, 1e-5, 1e-8) and not allclose(np.array([1.0]), inf, 1e-5, 1e-8)


def test_bfloat16_is_rounded_to_even_and_float16_overflows():
    assert wide(bits(np.float32(1 + 2.0**-8))) == 1 and wide(bits(np.float32(1 + 3 * 2.0**-8))) == 1 + 2.0**-6
    assert np.isnan(bfloat16(np.float32(np.nan))) and bfloat16(np.float32(-np.inf)) == -np.inf
    with np.errstate(over="ignore"):
        assert half(np.float32(65520)) == np.inf and half(np.float32(2049)) == 2048


def test_eager_mode_rounds_every_operation():
    x = eager(np.ones(300, np.float32), "bfloat16")
    assert float(EagerNames("bfloat16").sum(x)) == 300 and float((x + 2.0**-8)[0]) == 1
    ones = eager(np.array([256.0, 1.0], np.float32), "bfloat16")
    assert float(EagerNames("bfloat16").sum(ones)) == 256
