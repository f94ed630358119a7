"""The road that a kernel takes to its results where it is another than the formula's, given as a formula too."""

from __future__ import annotations

import inspect
from functools import lru_cache
from typing import Any, Callable, Dict

from ._formula import trace


class Road:
    """``f(xp, x, ...)`` for the outputs, or ``f(xp, x, ..., upstream)`` for the gradients, of the operation's arrays."""

    def __init__(self, operation: Any, formula: Callable[..., Any]) -> None:
        if not inspect.isfunction(formula):
            raise TypeError(f"road has {formula!r}: expected a function f(xp, x, ...), or a tuple of one for the outputs and one for "
                            "the gradients")
        inputs = [one[0] for one in operation.inputs]
        named = list(inspect.signature(formula).parameters)[1:]
        upstreams = named[len(inputs) :]
        if named[: len(inputs)] != inputs or upstreams not in ([], ["upstream"], [f"upstream{k}" for k in range(len(upstreams))]):
            raise ValueError(f"the road {formula.__name__} takes {', '.join(named)} after xp: expected {', '.join(inputs)}, and for "
                             "the gradients also upstream (of several outputs upstream0, upstream1, ...)")
        self._operation, self._formula, self.name = operation, formula, formula.__name__
        self.is_of_gradient = bool(upstreams)
        self._upstreams = [f"upstream{k}" for k in range(len(upstreams))]
        self._traced = lru_cache(300)(self._trace_at)

    def trace(self, extents: Dict[str, int]) -> Any:
        """The road's graph at these extents. Raises ValueError where its results have other shapes than the formula's."""
        return self._traced(*(extents[name] for name in self._operation.extents))

    def _trace_at(self, *sizes: int) -> Any:
        operation, extents = self._operation, dict(zip(self._operation.extents, sizes))
        shapes, outputs = operation.shapes(extents), [tuple(one) for one in operation.trace(extents).shapes]
        if self.is_of_gradient and len(outputs) != len(self._upstreams):
            raise ValueError(f"the road {self.name} takes {len(self._upstreams)} upstream gradients: expected {len(outputs)}, one for "
                             "each output")
        due = [shape for one, shape in zip(operation.inputs, shapes) if one[0] in operation.differentiable]
        names = [one[0] for one in operation.inputs] + self._upstreams
        graph = trace(self._formula, names, shapes + outputs if self.is_of_gradient else shapes, [], operation.kinds)
        got, expected = [list(one) for one in graph.shapes], [list(one) for one in (due if self.is_of_gradient else outputs)]
        if got != expected:
            raise ValueError(f"the road {self.name} gives arrays of shapes {got}: expected {expected} where "
                             + ", ".join(f"{name}={size}" for name, size in extents.items()))
        return graph
