"""The entries of formulas, forward: the right kernel passes our gate, and the faulty one fails."""

import pytest

from corpus_entries import each, require_verdicts


@pytest.mark.parametrize("entry", each("attention", "norms", "scans", "products", "elementwise", "indexing"))
def test_the_fault_is_noticed_and_the_right_kernel_passes(entry):
    require_verdicts(entry, cases=30)
