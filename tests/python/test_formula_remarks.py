"""What a failure says beside its case: the sizes that pass, and whether the layout of the arrays matters."""

import numpy as np

import assay
from assay import gallery


def softmax(p):
    e = np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True)


def test_a_failure_names_the_sizes_that_pass():
    def in_tiles(p):
        return softmax(p) * np.float32(1.01 if p.x.shape[-1] % 64 else 1)

    failure = assay.gate(gallery.softmax, in_tiles, cases=40, reach="none", filter="^outputs$").failures["outputs"]
    assert "sizes 9 to 130 of D, where the others are small: passes at multiples of 64; fails elsewhere" in failure.explanation
    assert "of N," not in failure.explanation


def test_a_failure_says_that_contiguous_arrays_pass():
    def by_address(p):
        return softmax(p) * np.float32(1 if p.x.flags.c_contiguous else 1.01)

    failure = assay.gate(gallery.softmax, by_address, cases=40, reach="none", filter="^outputs$").failures["outputs"]
    assert "it passes where the arrays are contiguous" in failure.explanation
