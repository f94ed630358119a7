"""Right kernels of many makings pass all sizes, pairs, layouts and magnitudes of a full run."""

import pytest

import assay
from assay import gallery
from formula_settings import SEED, each
from formula_tried import RIGHT


@pytest.mark.parametrize("name, kernel", each(RIGHT))
def test_right_kernels_pass_a_full_run(name, kernel):
    assay.gate(getattr(gallery, name), kernel, cases=30, filter="outputs", reach="full", seed=SEED).raise_for_failure()


def test_there_are_as_many_kernels_as_it_takes():
    assert sum(len(some) for some in RIGHT.values()) >= 12
