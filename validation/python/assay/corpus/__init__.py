"""A corpus of published kernel bugs, and what everybody's rules of acceptance make of them: python -m assay.corpus.

Each entry is an operation, a right kernel and a faulty one of our own writing, the thread where the fault was published, and
its cause. docs/corpus.md of the project has the table.
"""

from __future__ import annotations

from typing import Tuple

from . import attention, cross_entropy, ctc, elementwise, gradients, indexing
from . import low_precision, metal_threads, norms, products, scans, svd
from .entry import Entry

_FAMILIES = (ctc, cross_entropy, svd, attention, norms, scans, products, elementwise, indexing, gradients, low_precision,
             metal_threads)  # fmt: skip
ENTRIES: Tuple[Entry, ...] = tuple(one for family in _FAMILIES for one in family.FAMILY.entries)
