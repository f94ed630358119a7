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
