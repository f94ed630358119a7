"""What the tests of the corpus share: the verdicts that our gate must give on each entry."""

import warnings

import pytest

from assay.corpus import ENTRIES


def each(*families):
    """The entries of these families, as parameters of a test."""
    return [pytest.param(one, id=one.name) for one in ENTRIES if one.family in families]


def require_verdicts(entry):
    """The right kernel passes, and the faulty one fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        right, faulty = entry.gate(entry.right), entry.gate(entry.faulty)
    assert right.passed, right.table
    assert not faulty.passed, faulty.table
