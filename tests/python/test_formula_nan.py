"""Inputs that may be NaN: it reaches the results that it must reach, and no others; argmax gives the first."""

import numpy as np
import pytest

import assay

FEW = dict(cases=60, reach="none", empty=False)


@assay.operation(x="N, D", nan="x")
def position(xp, x):
    return xp.argmax(x, axis=-1)


@assay.operation(x="N, D", nan="x")
def lowest(xp, x):
    return xp.argmin(x, axis=-1)


@assay.operation(x="N, D", nan="x", properties="rows=N")
def softmax(xp, x):
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def right_softmax(p):
    e = np.exp(p.x - p.x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def by_rows(p):
    return np.stack([right_softmax(type(p)(**{**vars(p), "x": row[None]}))[0] for row in p.x])


def first_by_search(p):
    keys = np.where(np.isnan(p.x), np.inf, p.x)
    return np.array([next((k for k, x in enumerate(row) if np.isnan(x)), int(np.argmax(key))) for row, key in zip(p.x, keys)])


@pytest.mark.parametrize("operation, kernel", [
    (position, lambda p: np.argmax(p.x, -1)), (position, first_by_search), (lowest, lambda p: np.argmin(p.x, -1)),
    (softmax, right_softmax), (softmax, by_rows),
])  # fmt: skip
def test_right_kernels_pass(operation, kernel):
    result = assay.gate(operation, kernel, **FEW)
    assert result.passed, result.table


def skips_nan(p):
    return np.argmax(np.where(np.isnan(p.x), -np.inf, p.x), -1)


def last_nan(p):
    right = p.x.shape[1] - 1 - np.argmax(np.isnan(p.x)[:, ::-1], -1)
    return np.where(np.isnan(p.x).any(-1), right, np.argmax(p.x, -1))


@pytest.mark.parametrize("kernel", [skips_nan, last_nan])
def test_another_position_than_that_of_the_first_nan_fails(kernel):
    said = assay.gate(position, kernel, **FEW).failures["outputs"]
    assert "the position of the first NaN" in said.explanation and "nan" in said.reproducer


def test_a_nan_that_is_skipped_and_one_that_reaches_other_rows_fail():
    def without_nan(p):
        x = np.where(np.isnan(p.x), np.float32(-np.inf), p.x)
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    def of_all_rows(p):
        e = np.exp(p.x - p.x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True) + np.float32(0) * e.sum()

    assert "outputs" in assay.gate(softmax, without_nan, **FEW).failures
    assert {"rows", "outputs"} & set(assay.gate(softmax, of_all_rows, **FEW).failures)


def test_a_failure_with_nan_is_replayed():
    failed = assay.gate(position, skips_nan, **FEW).failures["outputs"]
    assert not assay.replay(skips_nan, failed.reproducer, operation=position, empty=False)
    assert assay.replay(lambda p: np.argmax(p.x, -1), failed.reproducer, operation=position, empty=False)


@pytest.mark.parametrize("inputs, nan, said", [
    ({"x": "N"}, "y", "nan='y': expected names of inputs: x"), ({"x": "N of flag"}, "x", "expected inputs of numbers"),
    ({"x": "N of int4"}, "x", "has no NaN"), ({"x": "N"}, None, "nan = None: expected a text"),
])  # fmt: skip
def test_a_wrong_declaration_is_named(inputs, nan, said):
    with pytest.raises((ValueError, TypeError), match=said):
        assay.operation(**inputs, nan=nan)(lambda xp, x: x)
