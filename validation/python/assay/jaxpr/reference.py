"""The operation that a function of JAX is."""

from __future__ import annotations

import inspect
import math
from functools import lru_cache
from typing import Any, Dict, List, Sequence, Tuple

import jax
import numpy as np

from .._arithmetic import Types
from .._framework import FrameworkOperation, _numbers_of
from .._plugin import Plugin
from .._traced import NotTraceable
from .calls import Calling, JaxKernel
from .trace import DTYPES, Jaxpr, graph_of, jaxpr_of
from .values import x64


def without_jit(reference: Any) -> Any:
    """The function under jax.jit, whose local variables are those of one trace."""
    while isinstance(reference, jax.stages.Wrapped) and hasattr(reference, "__wrapped__"):
        reference = getattr(reference, "__wrapped__")
    return reference


class JaxOperation(FrameworkOperation):
    """A function f(x, ...) of JAX's arrays, jitted or not. Its kernels are called as it is."""

    framework, word = "JAX", "jax"

    def _open(self) -> Tuple[Any, Any]:
        self._called = without_jit(self.reference)
        function = inspect.unwrap(self._called)  # such as that under jax.vmap
        self._function = function if inspect.isfunction(function) else None
        return self._called, self._called

    def _begin(self) -> None:
        self._dtype, self.calling = "float32", Calling()
        self._jaxpr_at = lru_cache(4)(self._jaxpr_of)  # for its shapes, and then for its graph
        super()._begin()
        self._require_same_gradients(self.usual_extents())

    def __reduce__(self) -> Any:
        return JaxOperation, (self.reference, self._declared_inputs, *self.made_of[1:])

    def called(self, *arrays: Any, **named: Any) -> Any:
        """The reference's result on arrays in their order; of those that it takes by name alone, also by name."""
        if self.by_name or (self._takes_names() and list(self._parameters())[: len(arrays)] != list(self._declared_inputs)):
            in_order = [name for name in self._declared_inputs if name not in named]
            return self._called(**dict(zip(in_order, arrays)), **named)
        return self._called(*arrays, **named)

    def graph(self, shapes: Sequence[Tuple[int, ...]], wrt: Sequence[str]) -> Any:
        kinds = [(name, kind) for name, _, kind, _, _ in self.inputs]
        file = self._function.__code__.co_filename if self._function is not None else ""
        graph, xp = graph_of(self._jaxpr_at(tuple(map(tuple, shapes)), self._dtype), file, kinds, shapes, wrt)
        self._rounds, self.may_cast = xp.rounds, xp.casts
        return graph

    def _jaxpr_of(self, shapes: Tuple[Tuple[int, ...], ...], dtype: str) -> Jaxpr:
        given = [jax.ShapeDtypeStruct(shape, DTYPES.get(kind, dtype)) for (_, _, kind, _, _), shape in zip(self.inputs, shapes)]
        return jaxpr_of(self.called, self._function, given)

    def _run_at(self, extents: Dict[str, int]) -> None:
        try:
            results = self._jaxpr_at(tuple(self.shapes(extents)), self._dtype).results()
        except jax.errors.ConcretizationTypeError as error:
            raise NotTraceable(f"{self.name} branches on data: {str(error).splitlines()[0]}; write jnp.where") from error
        self.results, self.result_types = [tuple(one.shape) for one in results], [one.dtype for one in results]

    def _given(self, arrays: Dict[str, np.ndarray]) -> List[Any]:
        return [jax.numpy.asarray(one.astype(np.int32) if one.dtype.kind == "i" else one) for one in arrays.values()]

    def _computed(self, arrays: Dict[str, np.ndarray], extents: Dict[str, int]) -> Tuple[List[np.ndarray], str]:
        with x64():
            results = jax.tree_util.tree_leaves(self.called(*self._given(arrays)))
            return [np.asarray(one, np.float64) for one in results], "float64"

    def _require_same_gradients(self, extents: Dict[str, int]) -> None:
        """Finds whether the graph's gradients are JAX's: jax.custom_vjp and stop_gradient may say others."""
        arrays = self.usual_arrays(extents)
        upstreams = [1 + np.arange(math.prod(shape)).reshape(shape) % 7 / 8 for shape in self.trace(extents).shapes]
        try:
            with x64():
                kernel = JaxKernel(self, self.called, True, Calling(types=Types("float64", {})))
                theirs = kernel.gradients_at(self._given(arrays), [jax.numpy.asarray(one) for one in upstreams])
        except (TypeError, ValueError, NotImplementedError) as error:  # JAX has none, of a while_loop
            self._refuse_gradients(f"JAX has no gradient: {str(error).splitlines()[0]}")
            return
        exact = self.subject(None, self.called, dtype="float64", digits=20).truth(
            extents, [one.astype(np.float64).reshape(-1).tolist() for one in arrays.values()],
            [one.reshape(-1).tolist() for one in upstreams], 20)  # fmt: skip
        try:
            self._require_same("the gradient", [_numbers_of(one) for one in exact["gradients"]], theirs, "float64", extents,
                               exact["gradient_bounds"] if self.may_cast else ())  # fmt: skip
        except NotTraceable as error:
            self._refuse_gradients(f"{error}; stop_gradient and custom derivatives are not followed")

    def _refuse_gradients(self, why: str) -> None:
        self.gradient_differs = f"{why}: expected a reference that is differentiated as it is written"

    def _kernel(self, kernel: Any, gradient: bool) -> Any:
        if isinstance(kernel, Plugin):
            return kernel
        self._require_callable(kernel)
        return JaxKernel(self, kernel, gradient, self.calling)

    def _set_calling(self, largest: float, device: Any, types: Types) -> bool:
        self.calling = Calling(largest, jax.devices(device)[0] if isinstance(device, str) else device, types)
        return bool(getattr(self.calling.device, "platform", "cpu") == "cpu")

    def _trace_in(self, dtype: str) -> bool:
        before = self._dtype
        self._dtype = "float64" if dtype == "float64" else "float32"  # constants of 16 bits would not be those of the function
        return self._dtype != before
