"""What is said wrongly of small formats is refused by a sentence with the argument, its value and what was expected."""

import re

import numpy as np
import pytest

import assay

F = np.float32


def judged(formula, kernel=lambda p: p.x, x="N, K", **declared):
    """The failures' explanations, as one text."""
    result = assay.gate(assay.operation(x=x, limits={"N": 5, "K": 9})(formula), kernel, cases=10, reach="none", **declared)
    return "\n".join(one.explanation for one in result.failures.values())


def codes(p):
    return np.zeros(p.x.shape, np.int8)


@pytest.mark.parametrize("function, said", [
    (lambda xp, x: xp.cast(x, "int8", scale=0), r"xp.cast: scale = 0: expected a finite number other than 0"),
    (lambda xp, x: xp.cast(x, "int8", scale=float("nan")), r"xp.cast: scale = nan: expected a finite number"),
    (lambda xp, x: xp.quantize(x, "int8", scale=0.0), r"xp.quantize: scale = 0.0: expected a finite number"),
    (lambda xp, x: xp.quantize(x, "int8", least=-1), r"xp.quantize: least = -1: expected a number from 0"),
    (lambda xp, x: xp.quantize(x, "int8", axis=None, block=4), r"xp.quantize: axis = None with block = 4: expected the axis"),
    (lambda xp, x: xp.quantize(x, "int8", axis=5), r"xp.quantize: axis = 5: expected a whole number from -2 to 1"),
    (lambda xp, x: xp.quantize(x, "int8", axis=-3), r"xp.quantize: axis = -3: expected a whole number from -2 to 1"),
    (lambda xp, x: xp.quantize(x, "int8", block=0), r"xp.quantize: block = 0: expected a whole number from 1"),
    (lambda xp, x: xp.quantize(x, "int8", scale=x, block=0), r"xp.quantize: block = 0: expected a whole number from 1"),
    (lambda xp, x: xp.quantize(x, "int8", overflow="wrap"), r"xp.quantize: overflow = 'wrap': expected one of saturate, nonfinite"),
    (lambda xp, x: xp.quantize(x, "int8", rounding="floor"), r"xp.quantize: rounding = 'floor': expected one of nearest-even"),
    (lambda xp, x: xp.dequantize(x, x, axis=2), r"xp.dequantize: axis = 2: expected a whole number from -2 to 1"),
    (lambda xp, x: xp.dequantize(x, x, block=-3), r"xp.dequantize: block = -3: expected a whole number from 1"),
])  # fmt: skip
def test_arguments_that_say_nothing_are_refused(function, said):
    with pytest.raises(ValueError, match=said):
        assay.operation(x="N, K")(function).truth(np.ones((2, 3)))
    with pytest.raises(ValueError, match=said):
        assay.operation(x="N, K")(function)(np.ones((2, 3)))


def test_what_is_beyond_the_largest_may_become_infinite():
    operation = assay.operation(x="N")(lambda xp, x: xp.quantize(x, "e5m2", scale=1.0, overflow="nonfinite")[0])
    assert operation(np.array([1.0, 1e6])).tolist() == [1.0, np.inf]


def never_called(p):
    raise AssertionError("the kernel was called")


@pytest.mark.parametrize("dtypes, said", [
    ({"output9": "uint8"}, "dtypes has 'output9', but the operation has 1 results: expected output0"),
    ({"output1": "float32"}, "dtypes has 'output1', but the operation has 1 results: expected output0"),
    ({"output": "float32"}, "dtypes['output0'] = 'float32', but output 0 has numbers of int4: expected how they are held"),
    ({"output0": "uint32 low-first axis 7"},
     "dtypes['output0'] = 'uint32 low-first axis 7', but the array has 2 axes: expected an axis from 0 to 1"),
])  # fmt: skip
def test_what_does_not_fit_the_results_is_refused_before_the_run(dtypes, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        judged(lambda xp, x: xp.cast(x, "int4"), never_called, dtypes=dtypes)


def test_a_result_of_numbers_is_not_held_as_codes():
    with pytest.raises(ValueError, match=re.escape("dtypes['output0'] = 'uint8', but output 0 has no codes: expected float32")):
        judged(lambda xp, x: x * 2, never_called, dtypes={"output": "uint8"})


def test_a_formula_that_has_one_size_is_refused_in_the_run():
    def one_size(xp, x):
        if x.shape != (2, 8):
            raise RuntimeError("expected 2 rows of 8")
        return xp.cast(x, "int4")

    said = judged(one_size, lambda p: p.x, extents={"N": [2], "K": [8]}, dtypes={"output9": "uint8"})
    assert "dtypes has 'output9', but the operation has 1 results: expected output0" in said


def test_a_packing_along_an_axis_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"dtypes\['x'\] = 'uint8 low-first axis 2', but the array has 2 axes"):
        judged(lambda xp, x: x * 2, x="N, K of int4", dtypes={"x": "uint8 low-first axis 2"})
    with pytest.raises(ValueError, match=r"dtypes\['x'\] = 'uint32 0123' of int4: expected low-first"):
        judged(lambda xp, x: x * 2, x="N, K of int4", dtypes={"x": "uint32 0123"})


@pytest.mark.parametrize("dtype, declared, hint", [
    ("int32", {}, "convert it, or declare how they are held: dtypes={'output0': 'int32'}"),
    ("uint8", {}, "convert it, or declare how they are held: dtypes={'output0': 'uint8'}"),
    ("float32", {}, "output 0 is float32: expected int8, codes of int8; convert it"),
    ("int8", {"output": "uint8 low-first"}, "convert it, or declare another type than dtypes={'output0': 'uint8 low-first'}"),
])  # fmt: skip
def test_the_hint_fits_what_was_returned(dtype, declared, hint):
    said = judged(lambda xp, x: xp.cast(x, "int8"), lambda p: np.zeros(p.x.shape, dtype), dtypes=declared)
    assert hint in said.splitlines()[0] and ("declare" in said) == ("declare" in hint), said


def test_codes_in_int32_pass_as_the_hint_says():
    def rounded(p):
        return np.clip(np.rint(p.x), -128, 127).astype(np.int32)

    assert judged(lambda xp, x: xp.cast(x, "int8"), rounded, dtypes={"output": "int32"}) == ""
    assert judged(lambda xp, x: xp.cast(x, "int8"), lambda p: np.clip(rounded(p), -126, 127), dtypes={"output": "int32"})
