"""Declarations of operations: what is none is refused by name, and what is accepted can be judged."""

import os
import random

import numpy as np
import pytest

import assay

COUNT = int(os.environ.get("ASSAY_FUZZ_COUNT", "150"))  # declarations that are tried


def one_input(text, **options):
    @assay.operation(x=text, **options)
    def same(xp, x):
        return x + 0

    return same


def copy(p):
    return p.x.astype(np.float32)


@pytest.mark.parametrize(
    "text, says",
    [
        ("2*K, U+1", r"x='2\*K, U\+1': the extent '2\*K': expected a name such as N, or a whole number from 1"),
        ("-1", "the extent '-1': expected a name"),
        ("0, D", "the extent '0': expected a name"),
        ("N,,D", "the extent '': expected a name"),
        ("N D", "the extent 'N D': expected a name"),
        ("N, ²", "the extent '²': expected a name"),
        ("4294967296", "the extent '4294967296': expected a name such as N, or a whole number from 1 to 2147483647"),
        ("4096, 4096", "16777216 elements where every named extent is 1: expected at most 65536; give an extent a name"),
        ("x, D", "the extent 'x' is the name of an input"),
        ("layout, D", "the extent 'layout' is the name of an input or of another word of a replay line"),
        ("upstream0", "the extent 'upstream0' is the name of an input or of another word"),
        ("N of", "the extent 'N of': expected a name"),
        ("N of ", "expected extents and one of: real, flag, index"),
        ("N of index", "expected extents and one of: real, flag, index"),
        ("N of index 2*K", "the extent '2\\*K': expected a name"),
        ("N of real V", "expected extents and one of: real, flag, index"),
        (", ".join(f"N{i}" for i in range(33)), "33 axes: expected at most 32"),
        (3, "x=3: expected its extents as a string"),
    ],
)
def test_what_are_no_extents_is_refused_by_name(text, says):
    with pytest.raises((ValueError, TypeError), match=says):
        one_input(text)


@pytest.mark.parametrize(
    "options, says",
    [
        (dict(properties="rowz=N"), "properties='rowz=N': 'rowz': expected one of batch, causal, monotone"),
        (dict(properties="rows"), "rows=: expected rows=EXTENT with one of N, D"),
        (dict(properties="rows=Q"), "rows=Q: expected rows=EXTENT with one of N, D"),
        (dict(properties=3), "properties = 3: expected a text"),
        (dict(minus_infinity="y"), "minus_infinity='y': expected names of inputs: x"),
        (dict(minus_infinity=None), "minus_infinity = None: expected a text"),
        (dict(limits=[3]), r"limits = \[3\]: expected the largest size of extents by name"),
        (dict(limits={"Q": 3}), "limits has 'Q': expected extents of the operation: N, D"),
        *((dict(limits={"N": one}), r"limits\['N'\] = .*: expected a whole number from 1 to") for one in (0, -1, 1.5, True, None, "3", 2**70)),
    ],
)
def test_options_are_refused_by_name(options, says):
    with pytest.raises((ValueError, TypeError), match=says):
        one_input("N, D", **options)


def test_an_input_may_not_have_the_name_of_an_attribute_of_the_problem():
    with pytest.raises(ValueError, match="the input 'upstream' has the name of something else"):
        @assay.operation(upstream="N")
        def doubled(xp, upstream):
            return 2 * upstream


@pytest.mark.parametrize("text", ["N, 4096", "48, 64, H", "3", "", "N, 1"])
def test_fixed_extents_are_judged(text):
    assert assay.gate(one_input(text), copy, cases=6, reach="none").passed


def test_an_index_may_be_below_a_number():
    @assay.operation(x="N, 16", i="N of index 16")
    def chosen(xp, x, i):
        return xp.sum(xp.where(xp.expand_dims(i, -1) == xp.arange(16), x, 0), axis=-1)

    result = assay.gate(chosen, lambda p: np.take_along_axis(p.x, p.i[:, None], 1)[:, 0].copy(), cases=40, reach="none")
    assert result.passed, result
    assert not assay.gate(chosen, lambda p: p.x[:, 0].copy(), cases=40, reach="none").passed


def test_what_a_formula_may_not_do_is_told_with_its_line():
    @assay.operation(x="N")
    def nothing(xp, x):
        return ()

    @assay.operation(x="N")
    def divided(xp, x):
        return x * (1 / 0)

    with pytest.raises(assay.NotTraceable, match="nothing returned nothing: expected an array"):
        assay.gate(nothing, copy)
    with pytest.raises(ValueError, match="line [0-9]+ of the formula, with x .*division by zero"):
        assay.gate(divided, copy)
    for dtype in (None, 3):
        with pytest.raises(TypeError, match=f"dtype = {dtype}: expected one of float32"):
            assay.gate(one_input("N"), copy, dtype=dtype)


def test_a_shape_by_the_data_is_refused_as_such():
    @assay.operation(table="V", i="N of index V")
    def repeated(xp, table, i):
        return xp.repeat(table, i)

    with pytest.raises(assay.NotTraceable, match="xp.repeat: an axis or shape depends on data"):
        assay.gate(repeated, lambda p: np.repeat(p.table, p.i))


PARTS = ("N", "D", "K", "x", "1", "0", "16", "4096", "-1", "99999999999", ",", ", ", " ", "of", " of ", "index", "real", "flag", "unit",
         "positive", "²", "é", "*", "+", "=", "'", '"', "\n", "\x1b", "\0", "layout", "upstream0", "None", "_", "(", "{}", "%s")  # fmt: skip


def test_random_declarations_are_refused_in_words_or_judged():
    source = random.Random(1)
    accepted = 0
    for _ in range(COUNT):
        text = "".join(source.choice(PARTS) for _ in range(source.randint(1, 6)))
        try:
            operation = one_input(text, properties=source.choice(["", "rows=N", "rows=D", "shift=K"]))
        except (ValueError, TypeError) as refusal:
            assert "expected" in str(refusal), (text, refusal)
            continue
        accepted += 1
        kinds = {"flag": np.bool_, "index": np.int64}
        operation_kind = operation.inputs[0][2]
        result = assay.gate(operation, lambda p: p.x.astype(np.float32), cases=2, reach="none")
        assert result.passed or operation_kind in kinds or "shift" in result.failures, (text, result)
    assert accepted > COUNT // 50
