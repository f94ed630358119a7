"""The entries of backward passes, of 16 bits and of Metal: the right kernel passes our gate, and the faulty one fails."""

import pytest

from corpus_entries import each, require_verdicts


@pytest.mark.parametrize("entry", each("gradients", "low precision"))
def test_the_fault_is_noticed_and_the_right_kernel_passes(entry):
    require_verdicts(entry)


@pytest.mark.parametrize("entry", each("metal"))
def test_the_fault_of_a_shader_is_noticed_and_the_right_one_passes(entry):
    """In few large cases: the emulator takes minutes for the others, of which the tests of bindings have some."""
    require_verdicts(entry, reach="quick")
