"""Between PyTorch's arguments and those of rows: traced tensors, constants and numbers as arrays of the graph, and back."""

from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np
import torch

from .._traced import Traced
from .tensor import TracedTensor


def tensors_in(values: Any) -> List[Any]:
    """The tensors among arguments, those in lists and tuples too."""
    if isinstance(values, (TracedTensor, torch.Tensor)):
        return [values]
    if isinstance(values, (tuple, list)):
        return [found for one in values for found in tensors_in(one)]
    return tensors_in(list(values.values())) if isinstance(values, dict) else []


def numbers_of(tensor: torch.Tensor) -> np.ndarray:
    """The elements of an ordinary tensor, which is a constant of the formula."""
    tensor = tensor.detach().cpu()
    return (tensor.double() if tensor.dtype.is_floating_point else tensor).numpy()


def memory_of(tensor: torch.Tensor) -> Tuple[int, int]:
    """Where the memory begins that a tensor and its views share, and how many bytes it has."""
    storage: Any = getattr(tensor, "untyped_storage", tensor.storage)()  # before PyTorch 2 the latter
    return storage.data_ptr(), storage.nbytes()


def traced_of(xp: Any, value: Any) -> TracedTensor:
    if isinstance(value, TracedTensor):
        return value
    if isinstance(value, torch.Tensor):
        return TracedTensor.of(xp._array(numbers_of(value)), value.dtype)
    array = np.asarray(value)
    return TracedTensor.of(xp._array(array), torch.from_numpy(array).dtype)


def lowered_of(xp: Any, value: Any) -> Any:
    """An argument as rows take it: arrays of the graph in the place of tensors."""
    if isinstance(value, TracedTensor):
        return value.value
    if isinstance(value, torch.Tensor):
        return xp._array(numbers_of(value))
    if isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
        return (
            type(value)([lowered_of(xp, one) for one in value])
            if type(value) in (tuple, list)
            else [lowered_of(xp, v) for v in value]
        )
    return value


def raised_of(result: Any, dtype: torch.dtype) -> Any:
    """The results of a row as tensors."""
    if isinstance(result, Traced):
        return TracedTensor.of(result, dtype)
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        values, indices = result
        made: Any = type(result)
        return made(raised_of(values, dtype), raised_of(indices, torch.int64))
    if isinstance(result, (tuple, list)):
        return type(result)(raised_of(one, dtype) for one in result)
    return result
