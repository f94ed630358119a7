"""What the property `quantisation` says: given the scale, near ties, of NaN, and where nothing is decided."""

import numpy as np
import pytest

import assay
from assay import quantised

F = np.float32


@assay.operation(x="N, K", limits={"N": 9, "K": 33})
def quantise(xp, x):
    return xp.quantize(x, "int8", axis=-1)


@assay.operation(x="N, K", limits={"N": 9, "K": 33})
def cast(xp, x):
    return xp.cast(x, "int8")


@assay.operation(x="N, K", limits={"N": 9, "K": 33})
def cast_of_sum(xp, x):
    return xp.cast(xp.sum(x, axis=-1), "int8")


def codes(p, scale=None, spoil=lambda q: q):
    s = np.abs(p.x).max(-1, keepdims=True, initial=0).astype(F) / F(127)
    used = s if scale is None else scale(s)
    return np.clip(spoil(np.rint(p.x / np.where(used == 0, F(1), used))), -128, 127).astype(np.int8), used


def verdicts(operation, kernel, **given):
    result = assay.gate(operation, kernel, cases=40, reach="none", **given)
    return {one.name: one.verdict for one in result.properties}, result


def test_a_right_kernel_passes_both_verdicts():
    got, result = verdicts(quantise, codes)
    assert got["quantisation"] == got["outputs"] == "pass", result.table
    assert "codes compared" in result.table


def test_a_wrong_scale_is_no_wrong_code():
    """The scale is off by 2^-16, and the codes are those of this scale."""
    got, result = verdicts(quantise, lambda p: codes(p, lambda s: s * F(1 + 2.0**-16)))
    assert (got["quantisation"], got["outputs"]) == ("pass", "fail"), result.table


def test_a_wrong_code_is_no_wrong_scale():
    got, result = verdicts(quantise, lambda p: (codes(p, spoil=lambda q: np.clip(q, -126, 126))[0], codes(p)[1]))
    assert (got["quantisation"], got["outputs"]) == ("fail", "pass"), result.table


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_scale_that_is_no_number_fails(value):
    got, result = verdicts(quantise, lambda p: (codes(p)[0], np.where(codes(p)[1] > 0, F(value), codes(p)[1])))
    assert got["outputs"] == "fail", result.table


def judged(operation, x, answer, **declared):
    """The verdict on one case with this answer."""
    result = assay.gate(operation, lambda p: np.asarray(answer, np.int8).reshape(p.x.shape[: np.ndim(answer)]), cases=0,
                        reach="none", filter="quantisation", input={"x": np.asarray(x, F)}, **declared)  # fmt: skip
    return result["quantisation"].verdict, result


def test_ties_go_to_the_even_neighbour_alone():
    x = [[0.5, 1.5, 2.5, -0.5, -1.5, 300, -300]]
    assert judged(cast, x, [[0, 2, 2, 0, -2, 127, -128]])[0] == "pass"
    for wrong in ([1, 2, 2, 0, -2, 127, -128], [0, 1, 2, 0, -2, 127, -128], [0, 2, 3, 0, -2, 127, -128],
                  [0, 2, 2, 0, -2, 126, -128], [0, 2, 2, 0, -2, 127, -127], [0, 2, 2, -1, -2, 127, -128]):  # fmt: skip
        assert judged(cast, x, [wrong])[0] == "fail", wrong


SIGNED = [("e4m3", 7), ("e5m2", 7), ("e2m1", 3)]


@pytest.mark.parametrize("name, sign_bit", SIGNED)
def test_a_zero_keeps_the_sign_of_what_was_rounded(name, sign_bit):
    """That of an input too."""
    from quantised_numbers import encoded, encoded_by_search

    @assay.operation(x="N, K", limits={"N": 9, "K": 33})
    def small(xp, x):
        return xp.cast(x, name)

    minus = np.uint8(1 << sign_bit)

    def kernel(p, above, below, at_zero=None):
        """With these codes where numbers above 0, below 0 and 0 itself become 0; None: that of the 0."""
        bits = encoded(p.x, name)
        zero = bits if at_zero is None else at_zero
        return np.where(bits & ~minus, bits, np.where(p.x > 0, above, np.where(p.x < 0, below, zero))).astype(np.uint8)

    x = np.array([[1e-30, -1e-30, 0, -0.0, 1, -1]], F)
    for answer, verdict in (((0, minus), "pass"), ((0, minus, minus), "fail"), ((0, minus, 0), "fail"), ((0, 0), "fail"),
                            ((minus, minus), "fail")):  # fmt: skip
        result = assay.gate(small, lambda p: kernel(p, *answer), cases=0, reach="none", filter="quantisation",  # noqa: B023
                            input={"x": x}, dtypes={"output": "uint8"})  # fmt: skip
        assert result["quantisation"].verdict == verdict, (answer, result.table)
        if verdict == "fail":
            text = result.failures["quantisation"].explanation
            due = "expected -0 " if answer in ((0, 0), (0, minus, 0)) else "expected 0 "
            assert due in text and "0 keeps the sign of what was rounded" in text, text

    def gate(kernel):
        return assay.gate(small, kernel, cases=40, reach="none", filter="quantisation", dtypes={"output": "uint8"})

    for right in (encoded, encoded_by_search):
        assert gate(lambda p: right(p.x, name)).passed  # noqa: B023
    for answer in ((0, 0), (minus, minus), (0, minus, 0), (0, minus, minus)):
        assert gate(lambda p: kernel(p, *answer)).failures  # noqa: B023


def test_a_zero_that_is_computed_has_no_sign():
    from quantised_numbers import encoded

    @assay.operation(x="N, K", limits={"N": 9, "K": 33})
    def difference(xp, x):
        return xp.cast(x - x[:1], "e4m3")

    for sign in (0, 0x80):
        bits = lambda p: encoded(p.x - p.x[:1], "e4m3")  # noqa: E731
        result = assay.gate(difference, lambda p: np.where(bits(p) & 0x7F, bits(p), sign).astype(np.uint8), cases=0,  # noqa: B023
                            reach="none", filter="quantisation", input={"x": np.array([[1, -2], [1, 3]], F)},
                            dtypes={"output": "uint8"})  # fmt: skip
        assert result.passed, result.table


def test_reciprocals_of_scales_need_subnormals_to_be_out():
    @assay.operation(x="N, K", limits={"N": 9, "K": 33})
    def to_int8(xp, x):
        return xp.quantize(x, "int8")

    def kernel(p):
        scale = np.abs(p.x).max(-1, keepdims=True, initial=0) / F(127)
        inverse = np.where(scale == 0, F(1), F(1) / np.where(scale == 0, F(1), scale))
        return np.clip(np.rint(p.x * inverse), -128, 127).astype(np.int8), scale

    assert assay.gate(to_int8, kernel, cases=60, subnormals=False).passed
    for seed in (1, 2, 3):
        assert assay.gate(to_int8, kernel, cases=60, seed=seed).failures


def test_what_fills_the_last_byte_is_zero():
    @assay.operation(x="N, K", limits={"N": 9, "K": 33})
    def nibbles(xp, x):
        return xp.cast(x, "uint4")

    def kernel(p, filler=0):
        q = np.clip(np.rint(p.x), 0, 15).astype(np.uint8)
        if q.shape[1] % 2:
            q = np.concatenate([q, np.full((q.shape[0], 1), filler, np.uint8)], 1)
        return q[:, ::2] | q[:, 1::2] << 4

    declared = {"cases": 40, "reach": "none", "filter": "quantisation", "dtypes": {"output": "uint8 low-first"}}
    assert assay.gate(nibbles, kernel, **declared).passed
    failures = assay.gate(nibbles, lambda p: kernel(p, 1), **declared).failures
    text = failures["quantisation"].explanation
    assert "output 0: what fills the last element along axis 1\n  got      0x1\n  expected 0" in text, text


def test_the_failure_says_which_rounding_would_give_it():
    def away(p):
        return np.clip(np.trunc(p.x + np.copysign(F(0.5), p.x)), -128, 127).astype(np.int8)

    result = assay.gate(cast, away, reach="none",
                        filter="quantisation", input={"x": np.array([[2.5, 0]], F)})  # fmt: skip
    text = result.failures["quantisation"].explanation
    assert "nearest-even to int8 of" in text and "taking ties away from 0 would give it" in text, text


def test_near_a_tie_both_neighbours_are_right_and_no_third():
    x = np.array([[1 / 3, 1 / 3, 1 / 3, 1.5], [1, 2, 3, 4]], F)  # the first sum is near 2.5, and rounded on its way
    for answer, verdict in (([2, 10], "pass"), ([3, 10], "pass"), ([1, 10], "fail"), ([4, 10], "fail"), ([2, 11], "fail")):
        got, result = judged(cast_of_sum, x, answer)
        assert got == verdict, (answer, result.table)


def test_equal_codes_prove_nothing():
    assert judged(cast, [[0.1, 0.2, 0.3]], [[0, 0, 0]])[0] == "mistrusted"
    assert judged(cast, [[0.1, 0.2, 3]], [[0, 0, 3]])[0] == "pass"


def test_either_neighbour_is_right_of_a_stochastic_rounding():
    @assay.operation(x="N, K")
    def stochastic(xp, x):
        return xp.cast(x, "int8", rounding="stochastic")

    x = [[1.25, -1.25, 3, 200]]
    for answer, verdict in (([1, -2, 3, 127], "pass"), ([2, -1, 3, 127], "pass"), ([0, -1, 3, 127], "fail"),
                            ([1, -1, 4, 127], "fail"),
                            ([1, -1, 3, 126], "fail")):  # fmt: skip
        assert judged(stochastic, x, [answer])[0] == verdict, answer


def test_nan_is_due_where_the_format_has_it_and_the_value_is_nan():
    @assay.operation(x="N of any e5m2")
    def again(xp, x):
        return xp.cast(x, "e4m3", overflow="nonfinite")

    def kernel(p, nan=0x7F):
        from quantised_numbers import bits_of, decoded, encoded

        bits = bits_of(p.x)
        x = decoded(bits, "e5m2")
        beyond = (bits & 0x7C == 0x7C) | (np.abs(x) > 464)
        return np.where(beyond, np.uint8(nan), encoded(x, "e4m3"))

    assert assay.gate(again, kernel, cases=60, reach="none", filter="quantisation").passed
    for wrong in (0x7E, 0):
        assert assay.gate(again, lambda p: kernel(p, wrong), cases=60, reach="none", filter="quantisation").failures  # noqa: B023


# What is rounded there, 127 y / max y, is computed: its bound reaches over each tie, and both neighbours are right.
RIGHT_MUTANTS = {"rms_norm_int8": {"cast takes ties away from 0"}}


def test_a_cast_has_faults():
    assert sum("cast" in name for name, *_ in quantise.mutants(cases=1)) >= 5


@pytest.mark.parametrize("operation", [one for one in vars(quantised).values() if isinstance(one, quantised.Operation)],
                         ids=lambda one: one.name)  # fmt: skip
def test_every_mutant_that_is_wrong_is_noticed(operation):
    rows = operation.mutants(cases=40)
    survivors = {name.split(": ", 1)[1] if "line" in name else name for name, noticed, _ in rows if not noticed}
    assert rows and survivors == RIGHT_MUTANTS.get(operation.name, set()), rows


@pytest.mark.parametrize("operation", [quantised.quantise_mx, quantised.mx_product], ids=lambda one: one.name)
def test_a_flat_gradient_has_no_faults(operation):
    """That of codes alone is 0, and some formulas have no inputs with a gradient: a fault there changes nothing."""
    names = [name for name, *_ in operation.mutants(cases=1)]
    assert names and not any("gradient" in name for name in names)


def test_a_gradient_beside_codes_is_noticed():
    rows = {name: noticed for name, noticed, _ in quantised.rms_norm_int8.mutants(cases=40)}
    assert rows["gradient: all zeros"] and rows["gradient: the last element is 0"], rows
    assert "gradient: sums in bfloat16" in rows and "output: sums in bfloat16" not in [
        name for name, *_ in cast.mutants(cases=1)
    ]  # which has no sums


@pytest.mark.parametrize("result, message", [
    (lambda p: p.x, "output 0 is float32: expected int8, codes of int8"),
    (lambda p: np.zeros(p.x.shape, np.uint8), "output 0 is uint8: expected int8"),
    (lambda p: np.zeros((*p.x.shape, 1), np.int8), "shape"),
])  # fmt: skip
def test_another_type_or_shape_is_refused(result, message):
    report = assay.gate(cast, result, cases=5, reach="none")
    assert any(message in one.explanation for one in report.failures.values()), report.table


def test_declarations_of_codes_are_checked():
    with pytest.raises(ValueError, match="expected how codes are held"):
        assay.gate(assay.operation(x="N of int4")(lambda xp, x: x * 2), lambda p: p.x, dtypes={"x": "float32"})
    with pytest.raises(ValueError, match="or a format"):
        assay.operation(x="N of e9m9")(lambda xp, x: x)
    with pytest.raises(TypeError, match="partial_sums"):
        assay.gate(cast, lambda p: p.x, partial_sums=128)
    with pytest.raises(ValueError, match="xp.cast: format"):
        assay.operation(x="N")(lambda xp, x: xp.cast(x, "int7")).truth([1.0])


def test_sums_of_whole_numbers_are_exact_in_int32():
    @assay.operation(a="M, K of int8", w="N, K of int8", limits={"M": 3, "N": 3, "K": 2049})
    def product(xp, a, w):
        return xp.matmul(a, xp.matrix_transpose(w))

    def summed(sums):
        return lambda p: (p.a.astype(sums) @ p.w.astype(sums).T).astype(np.float64)

    odd = {"a": np.full((1, 2001), 127.0), "w": np.full((1, 2001), 127.0)}  # 127^2 2001 has 25 bits
    in_floats = {"dtypes": {"output": "float64"}, "cases": 20, "reach": "none", "filter": "outputs"}
    in_int32 = {**in_floats, "accumulate": "int32"}
    for declared, sums, passes in (
        (in_int32, np.int32, True),
        (in_int32, F, False),
        (in_floats, F, True),
        (in_floats, np.int32, True),
    ):
        result = assay.gate(product, summed(sums), input=odd, **declared)
        assert bool(result.failures) != passes, result.table
