"""In one setting, whatever the seed, right kernels of the gallery pass and faulty ones fail."""

import os
import warnings

import pytest

import assay
import formula_faulty_kernels
import formula_faulty_sequences
import formula_gradients
import formula_right_kernels
import formula_right_sequences
from assay import gallery

SEED = int(os.environ.get("ASSAY_SEED", "1"))  # any seed must do
CASES = 60
warnings.filterwarnings("ignore", category=RuntimeWarning)

RIGHT = {**formula_right_kernels.RIGHT, **formula_right_sequences.RIGHT}
FAULTY = {**formula_faulty_kernels.FAULTY, **formula_faulty_sequences.FAULTY}


def each(kernels):
    """(operation, kernel) for each kernel of a list, or for each name of a dict."""
    return [pytest.param(name, one, id=f"{name}-{getattr(one, '__name__', one)}") for name, some in kernels.items() for one in some]


def failed(result):
    return [one.name for one in result.properties if one.verdict == "fail"]


@pytest.mark.parametrize("name, kernel", each(RIGHT))
def test_right_kernels_pass(name, kernel):
    assay.gate(getattr(gallery, name), kernel, cases=CASES, seed=SEED).raise_for_failure()


@pytest.mark.parametrize("name, fault", each(FAULTY))
def test_faulty_kernels_fail(name, fault):
    result = assay.gate(getattr(gallery, name), FAULTY[name][fault], cases=CASES, seed=SEED)
    assert failed(result), result


@pytest.mark.parametrize("name, kernel", each(formula_gradients.RIGHT))
def test_right_backward_passes_pass(name, kernel):
    assay.gradcheck(getattr(gallery, name), kernel, cases=CASES, seed=SEED).raise_for_failure()


@pytest.mark.parametrize("name, fault", each(formula_gradients.FAULTY))
def test_faulty_backward_passes_fail(name, fault):
    result = assay.gradcheck(getattr(gallery, name), formula_gradients.FAULTY[name][fault], cases=CASES, seed=SEED)
    assert failed(result), result


def test_there_are_as_many_kernels_as_it_takes():
    assert sum(len(some) for some in RIGHT.values()) >= 25
    assert sum(len(some) for some in FAULTY.values()) >= 40
    assert all(len(RIGHT[name]) >= 5 for name in ("softmax", "rms_norm", "layer_norm", "causal_attention", "matmul"))
