"""Rows of a case in tensors of more than 2^31 elements on a GPU: a kernel that computes an offset in 32 bits reads elsewhere.

The first row of the case is the first of all, and its others are the last. The rows between have numbers of the case, are
computed, and are not looked at. Only references whose rows do not depend on each other have such cases.
"""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np
import torch

from .._pipe import ReturnedWrong, Unsupported
from .calls import TorchKernel
from .far_memory import NoFarMemory, far_tensor

_FAR = 2**31  # elements
_COPIES = {False: 3, True: 6}  # of the largest tensor, without and with a gradient: results, and what a kernel keeps beside them


def rows_extent(operation: Any) -> str:
    """The extent whose indices are rows, each of which alone decides its part of all outputs; "" where there is none."""
    name: str
    for name in operation.extents:
        dims = [one[1] for one in operation.inputs]
        has = [one for one in dims if name in one]
        of_index = any(one[3] == name for one in operation.inputs)
        if name not in operation.limits and not of_index and has and all(one[0] == name and name not in one[1:] for one in has):
            if any(len(one) > 1 for one in has) and _are_rows(operation, name):
                return name
    return ""


def _are_rows(operation: Any, name: str) -> bool:
    """Whether the reference gives a row in float64 what it gives it among others."""
    extents = {**operation.usual_extents(), name: 3}
    one = {**extents, name: 1}
    if operation.refusal_at(extents) or operation.refusal_at(one):
        return False
    arrays = operation.usual_arrays(extents)
    leading = {of for of, dims, *_ in operation.inputs if name in dims}
    whole, _ = operation._computed(arrays, extents)
    if any(result.shape[:1] != (3,) for result in whole):
        return False
    for i in range(3):
        part, _ = operation._computed({of: a[i : i + 1] if of in leading else a for of, a in arrays.items()}, one)
        if not all(np.allclose(a[i : i + 1], b, rtol=1e-9, atol=1e-12, equal_nan=True) for a, b in zip(whole, part)):
            return False
    return True


class FarRows:
    """A kernel, called with the rows of a case far apart; it returns the results of these rows."""

    def __init__(self, kernel: TorchKernel, name: str) -> None:
        self._kernel, self._name, self._operation = kernel, name, kernel.operation
        self.__name__ = kernel.__name__

    def __call__(self, p: Any) -> List[torch.Tensor]:
        outputs = [tuple(one) for one in self._operation.trace(p.extents).shapes]
        count = p.extents[self._name]
        shapes = [np.shape(getattr(p, of)) for of, dims, *_ in self._operation.inputs if self._name in dims]
        of_row = max(int(np.prod(one)) // count for one in [*shapes, *outputs])
        rows = _FAR // of_row + count
        places = [0, *range(rows - count + 1, rows)]
        self._require_memory(of_row * rows)
        try:
            results = self._kernel.results_of({**p.extents, self._name: rows}, self._tensors(p, places, rows), p)
            return [self._picked(one, k, rows, places) for k, one in enumerate(results)]
        except (NoFarMemory, torch.cuda.OutOfMemoryError) as error:
            raise Unsupported(f"tensors of more than 2^31 elements: {str(error).splitlines()[0]}") from error
        finally:
            torch.cuda.empty_cache()

    def _require_memory(self, elements: int) -> None:
        free, _ = torch.cuda.mem_get_info()
        needed = _COPIES[self._kernel.is_gradient] * self._kernel.result_size(0) * elements
        if free < needed:
            raise Unsupported(f"tensors of more than 2^31 elements: the GPU has {free >> 30} GiB free, {needed >> 30} are needed")

    def _tensors(self, p: Any, places: List[int], rows: int) -> Dict[str, torch.Tensor]:
        """Each tensor far where it has rows. The rows between have a gradient of 0, so that they add nothing to that of a
        weight."""
        tensors = {}
        for of, dims, *_ in self._operation.inputs:
            tensor = self._kernel.on_device(getattr(p, of))
            tensors[of] = far_tensor(tensor, places, rows, tensor) if self._name in dims else tensor
        for k, one in enumerate(p.upstreams):
            tensor = self._kernel.on_device(one)
            tensors[f"upstreams[{k}]"] = far_tensor(tensor, places, rows, torch.zeros_like(tensor))
        return tensors

    def _picked(self, result: Any, k: int, rows: int, places: List[int]) -> Any:
        if not isinstance(result, torch.Tensor):
            return result
        of = self._operation.differentiable[k] if self._kernel.is_gradient else ""
        if of and self._name not in next(dims for name, dims, *_ in self._operation.inputs if name == of):
            return result.cpu()
        if result.shape[:1] != (rows,):
            raise ReturnedWrong(f"result {k} has the shape {list(result.shape)} where {self._name}={rows}: expected {rows} rows")
        return torch.stack([result[place] for place in places]).cpu()
