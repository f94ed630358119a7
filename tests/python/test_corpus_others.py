"""The entries of backward passes, of 16 bits and of Metal: the right kernel passes our gate, and the faulty one fails."""

import pytest

from corpus_entries import each, require_verdicts


@pytest.mark.parametrize("entry", each("gradients", "low precision", "metal"))
def test_the_fault_is_noticed_and_the_right_kernel_passes(entry):
    require_verdicts(entry)
