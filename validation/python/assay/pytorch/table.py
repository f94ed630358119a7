"""The table of what is traced: a function of PyTorch, by its name, and the function of xp that it is.

MOVES  functions of positions: (positions, ...) -> positions, or several
ROWS   functions of arrays of the graph: (xp, x, ...) -> an array, or several; parameters are named as PyTorch's
"""

from __future__ import annotations

from typing import Any, Dict

from . import (
    attention,
    convolutions,
    elementwise,
    indexing,
    losses,
    norms,
    pooling,
    products,
    recurrent,
    reductions,
    shapes,
)
from .moves import MOVES as MOVES

ROWS: Dict[str, Any] = {}
for _part in (elementwise, shapes, reductions, products, convolutions, pooling, norms, losses, attention, recurrent, indexing):
    ROWS.update(_part.ROWS)

RANDOM = frozenset(
    "rand randn randint randperm rand_like randn_like randint_like bernoulli bernoulli_ multinomial "
    "normal normal_ uniform_ random_ "
    "exponential_ poisson log_normal_ geometric_ cauchy_".split()
)
