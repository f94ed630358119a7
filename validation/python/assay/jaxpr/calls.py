"""Kernels of a reference in JAX, called as the reference is: with JAX's arrays."""

from __future__ import annotations

import math
from contextlib import nullcontext
from typing import Any, List, NamedTuple, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from .._arithmetic import Types
from .._pipe import ReturnedWrong, Unsupported
from .values import is_real, x64


class Calling(NamedTuple):
    """What a kernel in JAX declares of its arguments."""

    largest: float = math.inf  # of the numbers that it takes, in size
    device: Any = None  # of the arrays; JAX's own choice where it is None
    types: Types = Types("float32", {})

    def has_64_bits(self) -> bool:
        return "float64" in (self.types.dtype, *self.types.others.values()) or "int64" in self.types.others.values()


def _cotangent(output: Any, upstream: Any) -> Any:
    if not is_real(output.dtype):
        return np.zeros(output.shape, jax.dtypes.float0)
    return upstream.astype(output.dtype).reshape(output.shape)


class JaxKernel:
    """A kernel as a function of a problem. Its arguments are the reference's inputs, in their order."""

    def __init__(self, operation: Any, kernel: Any, is_gradient: bool, calling: Calling = Calling()) -> None:
        self._operation, self._kernel, self._is_gradient, self._calling = operation, kernel, is_gradient, calling
        self.__name__ = getattr(kernel, "__name__", type(kernel).__name__)

    def __call__(self, p: Any) -> List[Any]:
        with x64() if self._calling.has_64_bits() else nullcontext():
            given = [self._array(getattr(p, one[0])) for one in self._operation.inputs]
            if not self._is_gradient:
                return [jax.block_until_ready(one) for one in self._as_numbers(self._leaves(given), p)]
            return self.gradients_at(given, [self._array(one) for one in p.upstreams])

    def _array(self, array: np.ndarray) -> Any:
        """A copy, since JAX may share the memory of an array that it is given. Raises Unsupported for numbers that the kernel
        does not take."""
        if is_real(array.dtype) and not bool((np.abs(array[np.isfinite(array)]) <= self._calling.largest).all()):
            raise Unsupported(f"numbers above {self._calling.largest:g}")
        if array.dtype == np.int64 and not self._calling.has_64_bits():
            array = array.astype(np.int32)
        made = jnp.array(array, copy=True)
        return made if self._calling.device is None else jax.device_put(made, self._calling.device)

    def _leaves(self, given: Sequence[Any]) -> List[Any]:
        arrays = {one[0]: array for one, array in zip(self._operation.inputs, given)}
        named = {name: arrays.pop(name) for name in self._operation.by_name}
        leaves: List[Any] = jax.tree_util.tree_leaves(self._kernel(*arrays.values(), **named))
        return leaves

    def _as_numbers(self, results: List[Any], p: Any) -> List[Any]:
        """Masks and whole numbers, where the reference returns such, as numbers of the kernel's type; positions stay."""
        positions = self._operation.trace(p.extents).positions
        types = self._operation.result_types
        if len(types) != len(results):
            return results
        return [one if is_position or is_real(of) or is_real(one.dtype) else one.astype(self._calling.types.of_output(k))
                for k, (one, of, is_position) in enumerate(zip(results, types, positions))]  # fmt: skip

    def gradients_at(self, given: Sequence[Any], upstreams: Sequence[Any]) -> List[Any]:
        """What jax.vjp gives for the upstreams."""
        names = [one[0] for one in self._operation.inputs]
        wanted = [k for k, name in enumerate(names) if name in self._operation.differentiable]

        def of_wanted(*changed: Any) -> List[Any]:
            arguments = list(given)
            for k, one in zip(wanted, changed):
                arguments[k] = one
            return [jnp.asarray(one) for one in self._leaves(arguments)]

        outputs, pull = jax.vjp(of_wanted, *(given[k] for k in wanted))
        if len(outputs) != len(upstreams):
            raise ReturnedWrong(f"the kernel returned {len(outputs)} results: expected {len(upstreams)}")
        cotangents = [_cotangent(one, upstream) for one, upstream in zip(outputs, upstreams)]
        return [jnp.array(one, copy=True) for one in pull(cotangents)]
