"""The property `algebra` of shaders of one's own operations, by binding: right ones are equal, hidden faults are not."""

import shutil

import metal_hidden_faults as shaders
import pytest

import assay

pytestmark = pytest.mark.skipif(not (shutil.which("clang-19") or shutil.which("clang")), reason="there is no clang")


def judged(operation, path, **options):
    return operation.gate(path, **{"cases": 40, "reach": "none", "filter": "^algebra$", "algebra": True, **options})


@pytest.mark.parametrize("name", shaders.MADE)
def test_right_shaders_are_equal(tmp_path, name):
    operation, made = shaders.MADE[name]
    found = judged(operation, shaders.written(tmp_path, made))["algebra"]
    assert found.verdict == "pass" and found.judged == found.elements > 0, found


@pytest.mark.parametrize("name", shaders.FAULTS)
def test_a_planted_fault_is_found(tmp_path, name):
    made, change = shaders.FAULTS[name]
    operation, text = shaders.MADE[made]
    assert set(judged(operation, shaders.written(tmp_path, text, change)).failures) == {"algebra"}


@pytest.mark.parametrize("number", ["NAN", "INFINITY"])
def test_what_is_not_finite_is_not_judged(tmp_path, number):
    operation, made = shaders.MADE["two passes"]
    found = judged(operation, shaders.written(tmp_path, made, ("y[n] = largest + log(sum)", f"y[n] = {number}")))["algebra"]
    assert found.judged == 0 and found.verdict in ("pass", "skipped"), found


def test_one_wrong_element_is_named_and_replayed(tmp_path):
    operation, made = shaders.MADE["two sums"]
    path = shaders.written(tmp_path, made, ("y[n] = sum +", "y[n] = (n == 1 ? 0x1p-60f : 0) + sum +"))
    failure = judged(operation, path).failures["algebra"]
    assert "output[1] is not the formula's: the algebra differs" in failure.explanation, failure
    assert not assay.replay(path, failure.reproducer, operation=operation)
    assert assay.replay(shaders.written(tmp_path, made), failure.reproducer, operation=operation)


def test_what_leaves_the_algebra_is_counted_and_not_accused(tmp_path):
    operation, made = shaders.MADE["two passes"]
    bits = "as_type<float>(as_type<uint>(largest + log(sum)) ^ ((n & 1) << 1))"
    found = judged(operation, shaders.written(tmp_path, made, ("largest + log(sum)", bits)))["algebra"]
    assert found.verdict in ("pass", "skipped") and found.judged < found.elements, found
