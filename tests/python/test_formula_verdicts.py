"""Right kernels of the gallery pass, written as people write them, whatever the seed."""

import pytest

import assay
import formula_right_kernels
import formula_right_sequences
from assay import gallery
from formula_settings import CASES, SEED, each

RIGHT = {**formula_right_kernels.RIGHT, **formula_right_sequences.RIGHT}


@pytest.mark.parametrize("name, kernel", each(RIGHT))
def test_right_kernels_pass(name, kernel):
    assay.gate(getattr(gallery, name), kernel, cases=CASES, seed=SEED).raise_for_failure()


def test_there_are_as_many_kernels_as_it_takes():
    assert sum(len(some) for some in RIGHT.values()) >= 25
    assert all(len(RIGHT[name]) >= 5 for name in ("softmax", "rms_norm", "layer_norm", "causal_attention", "matmul"))
