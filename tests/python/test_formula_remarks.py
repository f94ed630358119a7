"""What a failure says beside its case: the sizes that pass, and whether the layout of the arrays matters."""

import numpy as np
import pytest

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


def drops_the_rest(of, from_size):
    """A softmax whose sums leave out the columns past the last multiple of `of`, in rows of `from_size` or more."""

    def kernel(p):
        e = np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf))
        D = e.shape[-1]
        return e / e[:, : D // of * of if D >= from_size else D].sum(-1, keepdims=True)

    return kernel


@pytest.mark.parametrize("kernel, smallest", [(drops_the_rest(32, 33), 33), (drops_the_rest(4, 5), 5)])
def test_the_shrunk_case_has_the_smallest_size_that_fails(kernel, smallest):
    failures = assay.gate(gallery.softmax, kernel, filter="^(exact|outputs)$").failures
    assert failures.keys() == {"exact", "outputs"}
    for failure in failures.values():
        assert f" D={smallest} " in failure.reproducer and " N=1 " in failure.reproducer, failure.origin
