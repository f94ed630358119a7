"""A kernel whose sums take another order on each call: it passes where it says so, and its values are judged all the same."""

import itertools

import numpy as np

import assay

REPEATED = ("repeat", "rows", "batch")


@assay.operation(x="N, D", properties="rows=N batch=N")
def total(xp, x):
    return xp.sum(x, axis=-1)


def by_atomics(factor=1.0):
    """Sums that begin at another element on each call."""
    calls = itertools.count()

    def kernel(p):
        x = np.roll(p.x, next(calls), axis=-1) * np.float32(factor)
        return np.add.accumulate(x, axis=-1)[:, -1] if x.shape[-1] else x.sum(-1)

    return kernel


def test_other_bits_are_an_error_unless_they_are_declared():
    assert "repeat" in assay.gate(total, by_atomics(), cases=40, reach="none").failures
    result = assay.gate(total, by_atomics(), cases=40, reach="none", same_bits=False)
    result.raise_for_failure()
    assert {one.name: one.verdict for one in result.properties} == {
        **dict.fromkeys(REPEATED, "skipped"), "exact": "pass", "outputs": "pass", "many-rows": "skipped"}  # fmt: skip
    assert result["repeat"].skipped == {"the kernel does not promise the same bits twice": 40}


def test_wrong_values_are_no_less_wrong():
    for factor in (1.001, np.nan, np.inf):
        assert "outputs" in assay.gate(total, by_atomics(factor), cases=40, reach="none", same_bits=False).failures


def test_it_is_a_flag():
    try:
        assay.gate(total, by_atomics(), cases=1, same_bits=2)
    except TypeError as error:
        assert "same_bits = 2" in str(error)
    else:
        raise AssertionError("a number was taken")
