"""Numbers that users give: what is none, or out of range, is refused by the argument's name, its value and what was expected."""

import json

import numpy as np
import pytest

import assay
from assay import gallery, metal, steps

NO_WHOLE_NUMBERS = (float("nan"), float("inf"), -1, 2**70, True, None, "3", 1.5, [3], np.float32(3))
NO_NUMBERS = (float("nan"), float("inf"), -1, -1e-9, 10**400, True, None, "3", [3])


def ctc(p):
    return np.zeros(len(p.target_lengths), np.float32), np.zeros_like(p.activations)


def softmax(p):
    e = np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True)


def square(x):
    return (x * x).sum()


ONE = dict(targets=[[1]], input_lengths=[2], target_lengths=[1])
LOGITS = np.zeros((2, 1, 2))
BATCH = dict(ONE, logits=LOGITS.astype(np.float32))

WHOLE = {
    "gate cases": lambda x: assay.gate("ctc", ctc, cases=x),
    "gate seed": lambda x: assay.gate("ctc", ctc, seed=x),
    "gate digits": lambda x: assay.gate("ctc", ctc, digits=x),
    "gate limits['T']": lambda x: assay.gate("ctc", ctc, limits={"T": x}),
    "gate sweeps": lambda x: assay.gate("svd", ctc, sweeps=x),
    "gate longest_chain": lambda x: assay.gate("cce", ctc, longest_chain=x),
    "gate bfloat16_roundings": lambda x: assay.gate("cce", ctc, bfloat16_roundings=x),
    "own cases": lambda x: assay.gate(gallery.softmax, softmax, cases=x),
    "own seed": lambda x: assay.gate(gallery.softmax, softmax, seed=x),
    "own digits": lambda x: assay.gate(gallery.softmax, softmax, digits=x),
    "own limits['N']": lambda x: gallery.softmax.gate(softmax, limits={"N": x}),
    "mutants cases": lambda x: gallery.softmax.mutants(cases=x),
    "mutants seed": lambda x: gallery.softmax.mutants(seed=x),
    "truth digits": lambda x: gallery.softmax.truth([[1.0, 2.0]], digits=x),
    "enclosures digits": lambda x: gallery.softmax.enclosures([[1.0, 2.0]], digits=x),
    "replay digits": lambda x: assay.replay(ctc, "operation=ctc", digits=x),
    "gradcheck cases": lambda x: assay.gradcheck("ctc", ctc, cases=x),
    "gradcheck seed": lambda x: assay.gradcheck(square, np.ones(2), np.ones(2), seed=x),
    "gradcheck digits": lambda x: assay.gradcheck(square, np.ones(2), np.ones(2), digits=x),
    "diagnose digits": lambda x: assay.diagnose(BATCH, digits=x),
    "reference.ctc digits": lambda x: assay.reference.ctc(logits=LOGITS, digits=x, **ONE),
    "reference.cce digits": lambda x: assay.reference.cce([[1.0]], [[0.0]], [0], digits=x),
    "reference.svd digits": lambda x: assay.reference.svd([[1.0]], digits=x),
    "metal grid": lambda x: metal.compile("kernel void f() {}").f(grid=x),
    "metal group": lambda x: metal.compile("kernel void f() {}").f(grid=1, group=x),
    "metal metal_version": lambda x: metal.compile("kernel void f() {}", metal_version=x),
    "metal shape": lambda x: metal.unset(x, "float32"),
}

REAL = {
    "gate unit_roundoff": lambda x: assay.gate("ctc", ctc, unit_roundoff=x),
    "gate largest_activation": lambda x: assay.gate("ctc", ctc, largest_activation=x),
    "gate exp_error": lambda x: assay.gate("cce", ctc, exp_error=x),
    "gate graded_range": lambda x: assay.gate("svd", ctc, graded_range=x),
    "own exp_error": lambda x: gallery.softmax.gate(softmax, exp_error=x),
    "own input_roundoff": lambda x: gallery.softmax.gate(softmax, input_roundoff=x),
    "own rounds['e']": lambda x: gallery.softmax.gate(softmax, rounds={"e": x}),
    "gradcheck tolerance": lambda x: assay.gradcheck(square, np.ones(2), np.ones(2), tolerance=x),
    "steps.bounds unit_roundoff": lambda x: steps.bounds([1], [[0.0, 1.0]], unit_roundoff=x),
    "steps.bounds output_unit_roundoff": lambda x: steps.bounds([1], [[0.0, 1.0]], output_unit_roundoff=x),
}


def refused(call, name, value):
    """Whether it is refused by the argument's name, its value and what was expected."""
    with pytest.raises((TypeError, ValueError)) as refusal:
        call(value)
    said = str(refusal.value)
    is_axis = name.startswith("metal") and name != "metal metal_version"
    shown = value[0] if isinstance(value, list) and is_axis else value
    assert f"{name.split()[-1]} = {shown!r}: expected " in said, said


@pytest.mark.parametrize("value", NO_WHOLE_NUMBERS, ids=repr)
@pytest.mark.parametrize("name", WHOLE)
def test_no_whole_number_is_refused(name, value):
    if name in ("metal group", "gradcheck digits") and value is None:
        return  # the emulator's choice, and the usual number
    if name.startswith("metal") and value == [3] and name != "metal metal_version":
        return  # one axis
    refused(WHOLE[name], name, value)


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda one: repr(one)[:9])
@pytest.mark.parametrize("name", REAL)
def test_no_number_is_refused(name, value):
    refused(REAL[name], name, value)


@pytest.mark.parametrize("value", (0, 2**-7, 1))
def test_a_unit_roundoff_is_above_0_and_at_most_that_of_bfloat16(value):
    refused(REAL["gate unit_roundoff"], "gate unit_roundoff", value)


COUNTS = [  # what is declared, by which name, the largest number, and its roundoff
    ("cce", {"exp_error": 65536.5}, "exp_error", "65536", "5.96046e-08"),
    ("cce", {"exp_error": 9, "unit_roundoff": 2**-11}, "exp_error", "8", "0.000488281"),
    ("cce", {"exp_error": 5, "unit_roundoff": 2**-8}, "exp_error", "4", "0.00390625"),
    ("svd", {"sweeps": 11, "unit_roundoff": 2**-8}, "sweeps", "10", "0.00390625"),
    ("softmax", {"exp_error": 1e6}, "exp_error", "65536", "5.96046e-08"),
    ("softmax", {"exp_error": 5, "compute": "bfloat16"}, "exp_error", "4", "0.00390625"),
    ("softmax", {"rounds": {"e": 65537}}, "rounds['e']", "65536", "5.96046e-08"),
    ("softmax", {"rounds": {"e": 5}, "compute": "bfloat16"}, "rounds['e']", "4", "0.00390625"),
]


@pytest.mark.parametrize("operation, declared, name, most, roundoff", COUNTS, ids=lambda one: str(one)[:40])
def test_roundoffs_that_are_declared_are_together_at_most_that_of_bfloat16(operation, declared, name, most, roundoff):
    judged, kernel = (gallery.softmax, softmax) if operation == "softmax" else (operation, ctc)
    with pytest.raises(ValueError) as refusal:
        assay.gate(judged, kernel, **declared)
    assert str(refusal.value).startswith(f"{name} = ")
    assert str(refusal.value).endswith(f": expected a number from 0 to {most} where the roundoff is {roundoff}")


def test_roundoffs_of_many_values_are_counted_together():
    with pytest.raises(ValueError, match="rounds: all numbers together = 90000.0: expected a number from 0 to 65536 where"):
        gallery.softmax.gate(softmax, rounds={"e": 45000, "output": 45000})


def test_numbers_of_numpy_are_numbers():
    assert assay.gate("svd", lambda p: np.linalg.svd(p.A, full_matrices=False), cases=np.int64(2), seed=np.uint64(2**64 - 1),
                      reach="none", filter="^order$", sweeps=np.int32(10), canonical_signs=np.bool_(False), unit_roundoff=np.float32(2.0**-24)).passed  # fmt: skip


def test_all_bits_of_a_seed_count():
    results = [assay.gate("svd", lambda p: np.linalg.svd(p.A, full_matrices=False), cases=1, seed=seed, reach="none", filter="^order$")
               for seed in (2**64 - 1, 2**64 - 2)]  # fmt: skip
    assert [one.record["runs"][0]["seed"] for one in results] == [2**64 - 1, 2**64 - 2]


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: assay.gate(np.linalg.svd, ctc), r"operation = svd\(a, .*\), a function without its inputs: expected 'ctc', 'cce'"),
        (lambda: assay.gate("svm", ctc), "operation = 'svm': expected 'ctc', 'cce', 'svd', or one's own"),
        (lambda: assay.property_names(3), "operation = 3: expected"),
        (lambda: assay.gate("ctc", ctc, reach="qick"), "reach = 'qick': expected one of none, quick, full, thorough"),
        (lambda: assay.gate(gallery.softmax, softmax, reach="qick"), "reach = 'qick': expected one of none, quick"),
        (lambda: assay.gate("ctc", ctc, filter=3), "filter = 3: expected a text"),
        (lambda: assay.gate("ctc", ctc, real_input="yes"), "real_input = 'yes': expected True or False"),
        (lambda: assay.gate("svd", ctc, real_input=True), "real_input is recorded speech"),
        (lambda: assay.gate("ctc", ctc, two_step=1), "two_step = 1: expected True or False"),
        (lambda: assay.gate("ctc", ctc, upstream="yes"), "upstream = 'yes': expected True or False"),
        (lambda: assay.gate("ctc", ctc, arithmetic=2), "arithmetic = 2: expected one of log_space, probability"),
        (lambda: assay.gate("ctc", ctc, reductions=3), "reductions = 3: expected any of none, sum, mean"),
        (lambda: assay.gate("ctc", ctc, limits=[3]), r"limits = \[3\]: expected the largest sizes by name"),
        (lambda: gallery.softmax.gate(softmax, dtype="float8"), "dtype = 'float8': expected one of float32, float16"),
        (lambda: gallery.softmax.gate(softmax, compute=3), "compute = 3: expected one of float32, float16"),
        (lambda: gallery.softmax.gate(softmax, empty="no"), "empty = 'no': expected True or False"),
        (lambda: gallery.softmax.gate(softmax, rounds=3), "rounds = 3: expected numbers of roundings by name"),
        (lambda: gallery.softmax.gate(softmax, rounds={"q": 1}), "rounds has 'q': expected one of"),
        (lambda: assay.gradcheck(3, np.ones(2)), "fn = 3: expected a function"),
        (lambda: assay.gradcheck(square, np.ones(2), np.ones(2), exact="no"), "exact = 'no': expected True or False"),
        (lambda: assay.replay(ctc, None), "reproducer = None: expected a text"),
        (lambda: assay.replay(ctc, "T"), "'T': expected key=value"),
        (lambda: assay.replay(softmax, "seed=1", operation=gallery.softmax), "'property=' is missing"),
        (lambda: assay.replay(softmax, "property=outputs seed=-1 N=1 D=1 layout=0 x=1 upstream0=1", operation=gallery.softmax), "seed=-1: expected a number"),
        (lambda: assay.diagnose(3), "batch is int: expected the path of an .npz, or arrays by name"),
        (lambda: steps.ctc([1], logits=[[0.0, 1.0]], number=True), "number = True: expected a whole number from 17 to 1000"),
        (lambda: steps.ctc([1], logits=[[0.0, 1.0]], number=None), "number = None: expected a whole number"),
    ],
)  # fmt: skip
def test_other_arguments_are_refused_by_name(call, says):
    with pytest.raises((TypeError, ValueError), match=says):
        call()


def test_a_declaration_in_json_is_held_to_the_same_range(tmp_path):
    table = json.loads(assay.declare._json("ctc"))
    assert table["declares"]["unit_roundoff"]["max"] == 2**-8
    assert table["declares"]["two_step"] == {"default": False}
