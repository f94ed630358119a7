"""The property `algebra`: right kernels of every making are equal to the formula, and faults that bounds hide are not."""

import importlib.util
import shutil
from pathlib import Path
from types import SimpleNamespace

import formula_gradients
import formula_right_kernels
import formula_right_sequences
import kernels
import numpy as np
import pytest
from hidden_faults import HIDDEN, LEAST, LONG, RIGHT

import assay
from assay import gallery
from assay._algebra import require_followed
from assay._program import run_program

f32 = np.float32


def judged(operation, kernel, backward=None, **options):
    options = {"cases": 12, "filter": "^algebra$", "algebra": True, **options}
    return operation.gate(kernel, backward, **options)["algebra"]


def named(table):
    return [(operation, kernel) for operation, kernels in table.items() for kernel in kernels]


def label(value):
    return getattr(value, "name", getattr(value, "__name__", str(value)))


LEFT = ("transducer_alpha", "in_float64")  # by np.float32(x) of a number that is followed


@pytest.mark.parametrize("operation,kernel", named(formula_right_kernels.RIGHT) + named(formula_right_sequences.RIGHT), ids=label)
def test_right_kernels_are_equal(operation, kernel):
    found = judged(getattr(gallery, operation), kernel, limits=dict.fromkeys(getattr(gallery, operation).extents, 33))
    if operation == "transducer_loss" and found.verdict == "skipped":
        assert kernel.__name__ in LEFT
        return
    assert found.verdict == "pass" and found.judged > 0.9 * found.elements, found


@pytest.mark.parametrize("operation,backward", named(formula_gradients.RIGHT), ids=label)
def test_right_gradients_are_never_accused(operation, backward):
    found = judged(getattr(gallery, operation), None, backward, limits=dict.fromkeys(getattr(gallery, operation).extents, 17))
    assert found.verdict in ("pass", "skipped", "mistrusted"), found


@pytest.mark.parametrize("operation,kernel", RIGHT, ids=label)
def test_other_makings_are_equal(operation, kernel):
    found = judged(operation, kernel)
    assert found.verdict == "pass" and found.judged > 0.9 * found.elements, found


@pytest.mark.parametrize("name", HIDDEN)
def test_a_fault_that_the_bound_hides_is_found(name):
    operation, kernel, words = HIDDEN[name]
    is_long = name.partition("_without")[0].partition("_twice")[0] in LONG  # at sizes that bounds are not computed for
    result = operation.gate(
        kernel, cases=4 if is_long else 20, algebra=True, filter="^algebra$" if is_long else "^(exact|outputs|algebra)$"
    )
    assert set(result.failures) == {"algebra"}, str(result)
    assert words in result.failures["algebra"].explanation, str(result)


def test_one_term_of_131_073_is_named():
    def without(p):
        e = np.exp(-p.x * p.x)
        e[:, 65_536:65_537] = 0
        return e.sum(-1)

    total = HIDDEN["total_without_1"][0]
    failure = total.gate(without, cases=1, reach="full", filter="^algebra$", algebra=True).failures["algebra"]
    assert "lacks the term 65536 of the sum in line" in failure.explanation, failure


def test_there_are_enough_of_them():
    assert len(HIDDEN) >= LEAST


@assay.operation(x="N, D")
def squares(xp, x):
    return xp.sum(x * x, axis=-1)


def explained(kernel, **options):
    return judged(squares, kernel, cases=6, reach="none", **options)


def test_one_wrong_element_differs():
    def wrong(p):
        y = (p.x * p.x).sum(-1)
        y[-1:] += f32(2.0**-60)
        return y

    assert explained(wrong).verdict == "fail"


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_what_is_not_finite_is_not_judged(number):
    found = explained(lambda p: np.full(len(p.x), number, f32) + p.x.sum(-1))
    assert found.judged == 0 and found.verdict in ("pass", "skipped"), found


@pytest.mark.parametrize(
    "kernel,why",
    [
        (lambda p: np.array([float(one) for one in (p.x * p.x).sum(-1)], f32), "float() of a followed number"),
        (lambda p: np.lib.stride_tricks.sliding_window_view(p.x * p.x, 1, axis=0).sum((1, 2)), "is not followed"),
        (lambda p: (p.x * p.x).view(np.int32).view(f32).sum(-1), "ndarray.view"),
    ],
)
def test_what_leaves_the_algebra_is_said(kernel, why):
    found = explained(kernel)
    assert found.judged == 0 and found.verdict != "fail"
    assert any(why in one for one in found.skipped), found.skipped


def test_unknown_functions_leave_the_rest_judged():
    def some(p):
        y = (p.x * p.x).sum(-1)
        y[:1] = np.fmod(y[:1], f32(1e6))
        return y

    found = judged(squares, some)
    assert found.verdict == "pass" and 0 < found.judged < found.elements
    none = explained(lambda p: np.fmod((p.x * p.x).sum(-1), f32(1e6)))
    assert any("a function that the algebra does not know" in one for one in none.skipped), none.skipped


def test_arrays_that_a_kernel_keeps_are_numbers_again():
    kept = {}

    def caching(p):
        if p.x.shape not in kept:
            kept[p.x.shape] = np.ones(p.x.shape, f32)
        return (kept[p.x.shape] * p.x * p.x).sum(-1)

    for _ in range(2):
        result = squares.gate(caching, cases=10, reach="none", algebra=True)
        assert result.passed and result["algebra"].verdict == "pass", str(result)


def test_the_failure_of_a_bound_says_what_the_algebra_says():
    def rounded(p):
        return (p.x * p.x).astype(np.float16).astype(f32).sum(-1)

    def doubled(p):
        return 2 * (p.x * p.x).sum(-1)

    for kernel, says in ((rounded, "algebra equal, beyond the bound: rounding"), (doubled, "algebra differs, beyond the bound")):
        assert says in squares.gate(kernel, cases=20, filter="outputs", algebra=True).failures["outputs"].explanation


def test_a_failure_is_replayed():
    def without_the_last(p):
        return (p.x * p.x)[:, :-1].sum(-1)

    failure = explained(without_the_last).failure
    assert "lacks the term 0 of the sum in line" in failure.explanation
    assert not assay.replay(without_the_last, failure.reproducer, operation=squares)
    assert assay.replay(lambda p: (p.x * p.x).sum(-1), failure.reproducer, operation=squares)


def test_small_numbers_of_a_shrunk_case_name_no_term():
    explanation = explained(lambda p: (p.x + p.x).sum(-1)).failure.explanation  # where x is 1, a term of x * x counted twice
    assert "differs" in explanation and "term" not in explanation and "operand" not in explanation, explanation


@assay.operation(x="N")
def exponential(xp, x):
    return xp.exp(x)


@pytest.mark.parametrize("log2_e,is_judged", [(f32(1.44269504), True), (f32(1.4427), False)])
def test_log2_e_of_few_digits_is_undecided(log2_e, is_judged):
    found = judged(exponential, lambda p: np.exp2(p.x * log2_e))
    assert found.verdict == ("pass" if is_judged else "skipped") and (found.judged > 0) == is_judged, found


def test_tables_of_constants_are_followed():
    @assay.operation(x="T, D", limits={"T": 65})
    def decays(xp, x):
        return x * xp.exp(-0.25 * xp.arange(x.shape[0]))[:, None]

    def table(p):
        return p.x * np.exp(f32(-0.25) * np.arange(len(p.x)).astype(f32))[:, None]

    found = judged(decays, table)
    assert found.verdict == "pass" and found.judged > 0.9 * found.elements, found


def test_arrays_in_bfloat16_are_followed_where_numpy_has_them():
    def without_the_last(p):
        y = (p.x * p.x).sum(-1)
        y[-1:] = (p.x * p.x)[-1:, :-1].sum(-1)
        return y

    right = judged(squares, lambda p: (p.x * p.x).sum(-1), dtype="bfloat16")
    wrong = judged(squares, without_the_last, dtype="bfloat16")
    if importlib.util.find_spec("ml_dtypes"):
        assert (right.verdict, wrong.verdict) == ("pass", "fail"), (right, wrong)
    else:
        assert right.verdict == "skipped" and any("install ml_dtypes" in one for one in right.skipped), right


def test_a_plug_in_is_refused():
    with pytest.raises(TypeError, match="algebra = True of 'libmine.so': expected a library that `assay instrument` compiled"):
        require_followed([SimpleNamespace(can_be_followed=False, path="libmine.so")])


def test_the_property_is_judged_where_it_is_asked_for():
    assert "algebra" not in squares.property_names()
    assert squares.property_names(algebra=True)[-1] == "algebra"


BINDING = Path(__file__).parents[1] / "right_kernels/metal/online_cce.json"


def test_a_shader_of_a_built_in_operation_is_followed_where_that_is_asked_for():
    found = assay.gate("cce", BINDING, cases=6, reach="none", filter="^algebra$", algebra=True)["algebra"]
    assert found.verdict == "pass", found
    assert "algebra" not in assay.property_names("cce")
    for operation, kernel in (("cce", kernels.cce), ("svd", BINDING)):
        with pytest.raises(TypeError, match=f"algebra = True of a {operation} kernel .*: expected the .json binding of a shader"):
            assay.gate(operation, kernel, algebra=True)


def test_the_line_of_a_failing_shader_replays_it(tmp_path):
    shutil.copy(BINDING, tmp_path)
    source = BINDING.with_suffix(".metal").read_text()
    wrong = source.replace("loss[n] = lse[n] -", "loss[n] = lse[n] + 0.25f * lse[n] * exp(-lse[n] * lse[n]) -")
    assert wrong != source
    (tmp_path / "online_cce.metal").write_text(wrong)
    failure = assay.gate("cce", tmp_path / BINDING.name, cases=20, reach="none", filter="^algebra$", algebra=True).failures["algebra"]
    assert "loss[0] is not the formula's: the algebra differs" in failure.explanation
    replayed = run_program("replay", failure.reproducer)
    assert replayed.returncode == 1 and "the algebra differs" in replayed.stdout, replayed
