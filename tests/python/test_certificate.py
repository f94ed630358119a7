"""Certificates of bounds: what a run writes is proven by a checker that knows nothing of Assay, and tampered ones are refused."""

import copy
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import assay
from assay import check_certificate
from assay.check_certificate import Refused, check

CHECKER = Path(check_certificate.__file__)
softmax = assay.gallery.softmax


@assay.operation(x="N, D")
def total(xp, x):
    return xp.sum(x, axis=-1)


@assay.operation(x="N, D")
def of_squares(xp, x):
    return xp.sum(x * x, axis=-1)


def right_softmax(p):
    e = np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True)


def written(folder, operation, kernel, **declared):
    file = folder / "certificate.json"
    assert assay.gate(operation, kernel, cases=30, reach="none", filter="^outputs$", certificate=file, **declared).passed
    return file


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """The first case of a softmax with two columns or more of unlike values."""
    whole = json.loads(written(tmp_path_factory.mktemp("softmax"), softmax, right_softmax).read_text())
    unlike = [one for one in whole["cases"] if len(set(one["inputs"][0])) > 2]
    return {**whole, "cases": unlike[:1]}


@pytest.mark.parametrize("operation, kernel, declared", [
    (softmax, right_softmax, {}), (softmax, right_softmax, {"dtype": "float64"}), (softmax, right_softmax, {"exp_error": 8}),
    (total, lambda p: p.x.sum(-1), {}), (total, lambda p: p.x.astype("f").sum(-1).astype("e"), {"dtype": "float16"}),
])  # fmt: skip
def test_what_a_run_writes_is_proven_by_a_process_without_assay(operation, kernel, declared, tmp_path):
    ended = subprocess.run([sys.executable, "-I", "-S", CHECKER, written(tmp_path, operation, kernel, **declared)],
                           capture_output=True, text=True, check=False)  # fmt: skip
    assert (
        ended.returncode == 0 and f"results of {'softmax' if operation is softmax else 'sum'} follow, in 20 cases" in ended.stdout
    ), ended


def test_the_checker_is_short_and_imports_the_standard_library_alone():
    lines = CHECKER.read_text().split('"""', 2)[2].splitlines()
    assert len(lines) <= 200
    imported = {line.split()[1] for line in lines if line.startswith(("import ", "from "))}
    assert imported <= {"__future__", "json", "math", "sys", "fractions", "typing"}


def step_of(case, rule, number=0):
    return [one for one in case["steps"] if one["rule"] == rule][number]


def less(text):
    return str(Fraction(text) * Fraction(999, 1000))


def smaller_bound(case):
    said = case["outputs"][0]
    said["bound"] = less(case["steps"][said["step"]]["error"])


def smaller_error(case):
    one = step_of(case, "sum")
    one["error"] = less(one["error"])


def step_left_out(case):
    """The subtraction of the maximum: the exponential is of the input itself."""
    one = step_of(case, "exp")
    one["of"] = case["steps"][one["of"][0]]["of"][:1]


def term_left_out(case):
    """The sum, and its enclosure and error, are those of all terms but the first."""
    one = step_of(case, "sum")
    gone = case["steps"][one["of"].pop(0)]
    one["value"] = [str(Fraction(mine) - Fraction(theirs)) for mine, theirs in zip(one["value"], reversed(gone["value"]))]


def rounding_of_another_type(case):
    step_of(case, "divide")["type"] = "float64"


def narrower_value(case):
    one = step_of(case, "divide")
    one["value"][0] = one["value"][1]


def other_input(case):
    case["inputs"][0][0] = str(Fraction(case["inputs"][0][0]) + 1)


def input_of_no_number(case):
    case["inputs"][0][0] = "1/3"


def later_step(case):
    one = step_of(case, "divide")
    one["of"][1] = len(case["steps"]) - 1


def result_left_out(case):
    case["outputs"].pop()


def other_step_as_result(case):
    case["outputs"][0]["step"] = case["outputs"][1]["step"]


def unknown_rule(case):
    step_of(case, "divide")["rule"] = "believe"


def no_bound(case):
    for one in case["outputs"]:
        one["bound"] = None


def wide_value_of_another_step(case):
    """An exponential stands for the quotient, in an enclosure that holds both."""
    one = copy.deepcopy(step_of(case, "exp"))
    one["value"], one["error"] = ["0", "2"], "1"
    case["steps"].append(one)
    case["outputs"][0] = {"step": len(case["steps"]) - 1, "bound": "1"}


def input_beyond_the_type(case):
    case["inputs"][0][0] = str(2**200)


def input_of_another_row(case):
    step_of(case, "input")["of"] = [0, 1]


TAMPERED = [smaller_bound, smaller_error, step_left_out, term_left_out, rounding_of_another_type, narrower_value, other_input,
            wide_value_of_another_step, input_beyond_the_type, input_of_another_row, input_of_no_number, later_step, result_left_out, other_step_as_result, unknown_rule, no_bound]  # fmt: skip


@pytest.mark.parametrize("tamper", TAMPERED, ids=lambda one: one.__name__)
def test_a_tampered_certificate_is_refused(certificate, tamper):
    assert "follow" in check(certificate)
    tampered = copy.deepcopy(certificate)
    tamper(tampered["cases"][0])
    with pytest.raises(Refused):
        check(tampered)


def test_an_arithmetic_of_a_negative_error_is_refused(certificate):
    tampered = {**copy.deepcopy(certificate), "arithmetic": {**certificate["arithmetic"], "exp_error": "-100"}}
    with pytest.raises(Refused, match="exp_error -100: expected 0 or more"):
        check(tampered)


def test_a_result_that_is_not_stored_is_refused(tmp_path):
    kernel = lambda p: p.x.astype("f").sum(-1).astype("e")
    half = json.loads(written(tmp_path, total, kernel, dtype="float16").read_text())
    for case in half["cases"]:
        for said in case["outputs"]:  # the rounding to float16 is left out, and the bound is that of what is stored
            said["step"] = case["steps"][said["step"]]["of"][0]
    with pytest.raises(Refused, match="result 0 is of float32: expected a step that stores it in float16"):
        check(half)


def test_an_exponential_is_enclosed():
    for x in ("1/3", "-1/3", "88", "-87.3", "1e-30", "-1e-30", "700", "-745"):
        low, high = check_certificate.exp(Fraction(x))
        halves = [check_certificate.exp(Fraction(x) / 2)[k] ** 2 for k in (0, 1)]
        assert low <= high and low <= halves[1] and halves[0] <= high and (high - low) < high / 10**50
        assert float(low) == pytest.approx(np.exp(float(Fraction(x))), rel=1e-14)


@pytest.mark.parametrize("operation, declared, said", [
    (of_squares, {}, "is neither the softmax nor the sum"),
    (total, {"rounds": {"output": 1}}, "rounds is declared"),
    (total, {"dtype": "bfloat16"}, "dtype = 'bfloat16': expected one of float64, float32, float16"),
    ("svd", {}, "expected a formula that is a softmax or a sum"),
])  # fmt: skip
def test_what_is_beyond_the_checker_is_named(operation, declared, said, tmp_path):
    def kernel(p):
        return np.linalg.svd(p.A, full_matrices=False) if operation == "svd" else operation(p.x)

    with pytest.raises((ValueError, TypeError), match=said):
        assay.gate(
            operation, kernel, cases=1, reach="none", filter="^(outputs|order)$", certificate=tmp_path / "c.json", **declared
        )
