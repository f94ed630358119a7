"""Inputs of small formats are drawn, and lie in memory in all layouts, also as types of ml_dtypes."""

import numpy as np
import pytest

import assay
from assay._formats import formats, numbers_of
from assay._layouts import laid_out

F = np.float32


@pytest.mark.parametrize("kind", ["e5m2", "any e5m2", "e5m2fnuz", "any e4m3", "positive int8", "positive int4", "positive e2m1"])
def test_inputs_of_each_kind_are_drawn_in_all_layouts(kind):
    """Right is a product by 2; whether anything is judged shows in the faulty one, by 2.5."""
    of = formats()[{"e4m3": "e4m3fn"}.get(kind.split()[-1], kind.split()[-1])]
    seen = []

    def scaled(p, factor=2):
        bits = p.x if of.is_whole else np.asarray(p.x).view(np.uint8)
        x = numbers_of(bits, of, "", bits.shape)
        seen.append(x)
        return (x * factor).astype(F)

    @assay.operation(x=f"N, K of {kind}", limits={"N": 5, "K": 9})
    def doubled(xp, x):
        return x * 2

    right = assay.gate(doubled, scaled, cases=40, reach="none", own_process=False)
    assert right.passed, right.table
    assert assay.gate(doubled, lambda p: scaled(p, 2.5), cases=40, reach="none").failures
    assert "positive" not in kind or all(np.all(x > 0) for x in seen)
    assert max(x.max(initial=0) for x in seen if not np.isnan(x).any()) > 0


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn", "float8_e8m0fnu", "float4_e2m1fn", "int8", "bool"])
def test_equal_rows_may_share_their_memory(dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.ones((3, 4), getattr(ml_dtypes, dtype, dtype))
    shared = laid_out(array, 9)
    assert shared.strides == (0, 1) and shared.dtype == array.dtype and shared.tobytes() == array.tobytes()
