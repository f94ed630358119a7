"""What the tests of the corpus share: the verdicts that our gate must give on each entry."""

import warnings

import pytest

from assay.corpus import ENTRIES


def each(*families):
    """The entries of these families, as parameters of a test."""
    return [pytest.param(one, id=one.name) for one in ENTRIES if one.family in families]


_right = {}  # verdicts on right kernels, which many entries share


def require_verdicts(entry, **options):
    """The right kernel passes, and the faulty one fails: with these options of the gate, which all entries of a test share."""
    key = (id(entry.operation), entry.right, repr(entry.declared))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if key not in _right:
            _right[key] = entry.gate(entry.right, **options)
        right, faulty = _right[key], entry.gate(entry.faulty, **options)
    assert right.passed, right.table
    assert not faulty.passed, faulty.table
