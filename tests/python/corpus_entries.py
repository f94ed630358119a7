"""What the tests of the corpus share: the verdicts that our gate must give on each entry."""

import warnings

import pytest

from assay.corpus import ENTRIES

# What our gate does not notice, and what it must be asked for the fault to be found; None: no case of its has it.
MISSED = {
    "finite_sentinel": {"reach": "full"},
    "position_of_later_parts": {"limits": {"T": 65_536, "D": 8}},
    "negative_loss": None,  # a loss below 0 by no more than rounding explains
    "lanes_of_partial_simdgroup": None,  # its generated sizes do not show it
    "position_skips_nan": None,  # no input of a formula is NaN
}


def each(*families):
    """The entries of these families, as parameters of a test."""
    return [pytest.param(one, id=one.name) for one in ENTRIES if one.family in families]


def require_verdicts(entry):
    """The right kernel passes, and the faulty one fails unless it is known to be missed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        right, faulty = entry.gate(entry.right), entry.gate(entry.faulty)
        asked = MISSED.get(entry.name)
        cured = asked and entry.gate(entry.faulty, **asked)
    assert right.passed, right.table
    assert faulty.passed == (entry.name in MISSED), faulty.table
    assert not cured or not cured.passed, cured.table
