"""The table of what is traced: a primitive of JAX, by its name, and the function of xp that it is.

ROWS  functions (xp, equation, value, ...) -> a value, or a list of several
"""

from __future__ import annotations

from typing import Any, Callable, Dict

from . import elementwise, indexing, products, reductions, shapes

ROWS: Dict[str, Callable[..., Any]] = {}
for _part in (elementwise, shapes, reductions, products, indexing):
    ROWS.update(_part.ROWS)

RANDOM = ("random_", "threefry", "rng_")
