"""Gradients through a cast, as the formula declares them: flat, straight through, or so and rounded to the format as well."""

import numpy as np
import pytest
from quantised_numbers import decoded, encoded, encoded_by_search

import assay

F = np.float32
BEYOND = 464  # the least size that e4m3 does not round to its largest number


def operation(gradient):
    @assay.operation(x="N, K", weight="K", limits={"N": 9, "K": 33})
    def kept_in_fp8(xp, x, weight):
        return xp.cast(x, "e4m3", gradient=gradient) * weight

    return kept_in_fp8


def both(of_q):
    """The gradients of x and weight, where that of the codes becomes `of_q` of it and p.x."""

    def kernel(p):
        q = decoded(encoded(p.x, "e4m3"), "e4m3")
        return of_q(p.upstream * p.weight, p.x).astype(F), (p.upstream * q).sum(0, dtype=np.float64).astype(F)

    return kernel


def rounded(g, x):
    return decoded(encoded(g, "e4m3"), "e4m3")


def rounded_by_search(g, x):
    return decoded(encoded_by_search(g, "e4m3"), "e4m3")


def as_it_is(g, x):
    return g


def by_a_sum(g, x):
    """Of another making: the slope of x + (q - x), of which a framework stops the second part."""
    return g + 0 * x


def zero(g, x):
    return np.zeros_like(g)


def one_element_of_0(g, x):
    g = g.copy()
    g.flat[-1:] = 0
    return g


def with_a_clip(g, x):
    """0 where the codes are the largest."""
    return np.where(np.abs(x) < BEYOND, g, 0)


RIGHT = {"flat": [zero, lambda g, x: np.minimum(np.abs(g), 0)], "straight-through": [as_it_is, by_a_sum],
         "rounded": [as_it_is, by_a_sum, rounded, rounded_by_search]}  # fmt: skip
WRONG = {"flat": [as_it_is, rounded], "straight-through": [zero, rounded, with_a_clip, one_element_of_0],
         "rounded": [zero, with_a_clip, one_element_of_0, lambda g, x: rounded(g, x) * F(1.25), lambda g, x: np.abs(g),
                     lambda g, x: rounded(g * F(np.nan), x), lambda g, x: np.where(np.abs(g) > 1, F(np.inf), g)]}  # fmt: skip


@pytest.mark.parametrize("word, of_q", [(word, of_q) for word, all_of in RIGHT.items() for of_q in all_of])
def test_a_gradient_as_declared_passes(word, of_q):
    result = assay.gradcheck(operation(word), both(of_q), cases=40, reach="none")
    assert result.passed, result.table


@pytest.mark.parametrize("word, of_q", [(word, of_q) for word, all_of in WRONG.items() for of_q in all_of])
def test_another_gradient_fails(word, of_q):
    result = assay.gradcheck(operation(word), both(of_q), cases=40, reach="none")
    assert result["gradient"].verdict == "fail", result.table


def test_faults_in_such_a_gradient_are_noticed():
    rows = operation("rounded").mutants(cases=30)
    assert rows and all(noticed for _, noticed, _ in rows), [row for row in rows if not row[1]]


def test_another_word_is_refused():
    with pytest.raises(ValueError, match="xp.cast: gradient = 'none': expected one of flat, straight-through, rounded"):
        assay.operation(x="N")(lambda xp, x: xp.cast(x, "e4m3", gradient="none")).truth([1.0])
