"""Operations of one's own: right kernels pass, faulty ones fail, and what cannot be traced says what to do."""

import json
import math
import warnings

import numpy as np
import pytest

import assay
from assay import gallery
from assay.__main__ import mutants_table
from assay._program import run_program
from formula_faulty_kernels import FAULTY
from formula_right_kernels import softmax_plain

CASES = 60
warnings.filterwarnings("ignore", category=RuntimeWarning)


def test_gradient_agrees_with_differences_at_100_digits():
    x, g = np.array([[0.5, -1.25, 3.0]]), np.array([[1.0, -2.0, 0.25]])
    from decimal import Decimal, localcontext

    exact = gallery.layer_norm.truth(x, [1, 2, 3], [0, 1, 0], upstream=g, digits=100)["gradients"][0]
    step = 2.0**-40

    def at(i, sign):
        moved = x.copy()
        moved[0, i] += sign * step
        y = gallery.layer_norm.truth(moved, [1, 2, 3], [0, 1, 0], digits=100)["outputs"][0]
        return sum(Decimal(a) * Decimal(float(b)) for a, b in zip(y, g[0]))

    with localcontext() as context:
        context.prec = 100
        for i in range(3):
            difference = (at(i, 1) - at(i, -1)) / Decimal(2 * step)
            assert abs(difference - Decimal(exact[i])) < Decimal(10) ** -18


def test_float16_in_with_float32_between():
    def kernel(p):
        x = p.x.astype(np.float32)
        e = np.exp(x - x.max(-1, keepdims=True, initial=-np.inf))
        return (e / e.sum(-1, keepdims=True)).astype(np.float16)

    assay.gate(gallery.softmax, kernel, dtype="float16", cases=CASES).raise_for_failure()


def test_replay():
    kernel = FAULTY["softmax"]["powers_of_two"]
    failure = assay.gate(gallery.softmax, kernel, cases=20, filter="outputs").failures["outputs"]
    assert repr(failure.reproducer) in failure.again
    assert not assay.replay(kernel, failure.reproducer, operation=gallery.softmax)
    assert assay.replay(softmax_plain, failure.reproducer, operation=gallery.softmax)


def test_mutants_are_noticed():
    rows = gallery.softmax.mutants(cases=40)
    missed = [name for name, killed, _ in rows if not killed]
    print(mutants_table(gallery.softmax, 40))
    assert sum(killed for _, killed, _ in rows) >= 0.7 * len(rows), missed
    assert not any(name == "history" for _, _, name in rows), "a mutant has no kernel that could begin afresh"
    assert [killed for name, killed, _ in rows if name == "line 21: largest is that of the elements so far, and no rescaling follows"] == [True]


@pytest.mark.parametrize(
    "formula, says",
    [
        (lambda xp, x: x if x[0] > 0 else -x, "xp.where"),
        (lambda xp, x: xp.fft(x), "can be traced"),
        (lambda xp, x: x[: x.shape[0] // 2] + x[:1] + xp.zeros((7,)), "do not broadcast"),
        (lambda xp, x: np.exp(x), "NumPy and PyTorch do not know arrays of a formula"),
        (lambda xp, x: math.exp(x), "xp.exp in place of math.exp"),
        (lambda xp, x: x[9], "indices that fit those of the inputs"),
        (lambda xp, x: xp.reshape(x, (3,)), r"line \d+ of the formula, with x \[8\]: .*expected shapes"),
        (lambda xp, x: xp.concat([x, x[:, None]]), "expected shapes"),
        (lambda xp, x: xp.expand_dims(x, axis=7), "expected shapes, axes"),
        (lambda xp, x: xp.sum(x, -1), "axis= and keepdims= by name"),
        (lambda xp, x: xp.sum(x, axis=-1, dtype="float32"), "axis= and keepdims= by name"),
        (lambda xp, x: x.astype("float32"), "leave it out"),
        (lambda xp, x: x % 2, r"expected \+, -"),
        (lambda xp, x: x.__setitem__(0, 1), "xp.where, xp.concat or xp.stack"),
        (lambda xp, x: None, "returned nothing: expected an array"),
    ],
)
def test_errors_say_what_to_do(formula, says):
    with pytest.raises((TypeError, ValueError), match=says):
        assay.operation(x="8")(formula).trace({})


def test_a_formula_may_use_len_and_abs_and_return_a_list():
    def halves(xp, x):
        return [abs(x) / len(x), x]

    assert [list(one) for one in assay.operation(x="8")(halves).trace({}).shapes] == [[8], [8]]


def twice(xp, x):
    return 2 * x


@pytest.mark.parametrize(
    "declared, says",
    [
        (dict(properties="rowz=N"), "expected one of batch, causal, monotone"),
        (dict(properties="rows=Q"), "expected rows=EXTENT with one of N, D"),
        (dict(minus_infinity="y"), "expected names of inputs: x"),
        (dict(limits={"Q": 3}), "limits has 'Q': expected extents of the operation: N, D"),
        (dict(limits={"N": 0}), r"limits\['N'\] = 0: expected a whole number from 1 to"),
        (dict(x=3), "expected its extents as a string"),
        (dict(x="N, D of bool"), "expected extents and one of: real"),
        (dict(y="N"), "expected the same names"),
    ],
)
def test_errors_of_a_declaration_say_what_to_do(declared, says):
    with pytest.raises((TypeError, ValueError), match=says):
        assay.gate(assay.operation(**{"x": "N, D", **declared})(twice), lambda p: 2 * p.x, cases=1, reach="none")


@pytest.mark.parametrize(
    "words, says",
    [
        (dict(dtype="float8"), "dtype = 'float8': expected one of float32, float16"),
        (dict(reach="far"), "reach = 'far': expected one of none, quick"),
        (dict(filter="("), r"filter = '\(': expected a regular expression"),
        (dict(filter="none"), "expected one of repeat, rows"),
        (dict(cases=-1), "cases = -1: expected a whole number from 0 to"),
        (dict(dtyp="float16"), "dtyp= is not known: expected what a kernel declares: dtype, dtypes, compute"),
        (dict(limits={"Q": 3}), "expected extents of the operation: N, D"),
    ],
)
def test_errors_of_a_call_say_what_to_do(words, says):
    with pytest.raises((TypeError, ValueError), match=says):
        assay.gate(gallery.softmax, softmax_plain, **words)


def test_what_is_no_kernel_is_refused():
    for nothing in (None, 3):
        with pytest.raises(TypeError, match=f"the kernel is {nothing}: expected a function of the problem p"):
            assay.gate(gallery.softmax, nothing)
    with pytest.raises(TypeError, match="1 arrays: expected x, weight"):
        gallery.rms_norm.truth(np.zeros((2, 3)))


test_pytest_gate = assay.pytest_gate(gallery.softmax, softmax_plain, cases=20)


def test_an_entry_left_out_is_noticed_whichever_it_is():
    def without_entry(k):
        def kernel(p):
            e = np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf))
            left_out = e[:, k : k + 1] if p.x.shape[-1] > k + 1 else 0
            return e / (e.sum(-1, keepdims=True) - left_out)

        return kernel

    for k in (100, 777, 2500, 4095):
        assert assay.gate(gallery.softmax, without_entry(k), cases=5)["outputs"].verdict == "fail", k
    result = assay.gate(gallery.softmax, softmax_plain, cases=5)
    reached = {key: one for said in result.record["runs"][0]["properties"] for key, one in said["reached"].items() if said["name"] == "outputs"}
    assert reached["D"]["size"] == reached["D"]["noticed"] == reached["D"]["terms"] == 4097
    assert "D 4097 by" in result.table and "all terms by outputs" in result.table


def test_what_hides_in_a_wide_bound_is_not_called_noticed():
    result = assay.gate(gallery.softmax, softmax_plain, cases=3, filter="outputs", accumulate="bfloat16", compute="bfloat16")
    (said,) = result.record["runs"][0]["properties"]
    assert said["reached"]["D"]["noticed"] < 4097


def test_a_batch_of_the_user(tmp_path):
    x = np.full((1, 3), 50, np.float32)
    np.savez(tmp_path / "batch.npz", x=x)
    wrong_there = lambda p: softmax_plain(p) * (2 if p.x.size and (p.x == 50).all() else 1)  # noqa: E731
    for given in (tmp_path / "batch.npz", {"x": x}):
        result = assay.gate(gallery.softmax, wrong_there, cases=3, reach="none", filter="outputs", input=given)
        assert result.failures["outputs"].origin.startswith("given case 0"), result
    with pytest.raises(ValueError, match="no array 'x'"):
        assay.gate(gallery.softmax, softmax_plain, input={})
    with pytest.raises(ValueError, match="array 'y'"):
        assay.gate(gallery.softmax, softmax_plain, input={"x": x, "y": x})


def test_a_long_case_is_kept_in_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fails_when_large = lambda p: softmax_plain(p) * (2 if p.x.shape[-1] > 1000 else 1)  # noqa: E731
    failure = assay.gate(gallery.softmax, fails_when_large, cases=3, filter="outputs").failures["outputs"]
    assert " file=assay-failures/" in failure.reproducer and len(failure.reproducer) < 300
    assert not assay.replay(fails_when_large, failure.reproducer, operation=gallery.softmax)
    assert assay.replay(softmax_plain, failure.reproducer, operation=gallery.softmax)


def test_shards_of_a_run_merge_into_the_run(tmp_path, monkeypatch):
    whole = assay.gate(gallery.softmax, softmax_plain, cases=20)
    monkeypatch.setenv("GTEST_TOTAL_SHARDS", "3")
    for index in range(3):
        monkeypatch.setenv("GTEST_SHARD_INDEX", str(index))
        (tmp_path / f"{index}.json").write_text(json.dumps(assay.gate(gallery.softmax, softmax_plain, cases=20).record))
    merged = run_program("merge", *(str(tmp_path / f"{i}.json") for i in range(3)), "--json", str(tmp_path / "merged.json"))
    assert merged.returncode == 0, merged.stderr
    properties = json.loads((tmp_path / "merged.json").read_text())["runs"][0]["properties"]
    assert [(one["name"], one["cases"]) for one in properties] == [
        (one["name"], one["cases"]) for one in whole.record["runs"][0]["properties"]]  # fmt: skip
