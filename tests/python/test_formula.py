"""Operations of one's own: right kernels pass, planted faults fail, and what cannot be traced says what to do."""

import numpy as np
import pytest

import assay
from assay import gallery
from formula_right_kernels import RIGHT, softmax_plain

CASES = 60


@pytest.mark.parametrize("name, kernel", [(name, one) for name, all in RIGHT.items() for one in all])
def test_right_kernels_pass(name, kernel):
    assay.gate(getattr(gallery, name), kernel, cases=CASES).raise_for_failure()
