"""How the arrays that a kernel is given lie in memory: the same values in ten ways (validation/core/layouts.h)."""

from __future__ import annotations

from typing import Any

import numpy as np

_BACKWARDS = (7, 8)


def _filler(dtype: np.dtype) -> Any:
    return np.nan if dtype.kind == "f" else 0


def _past(array: np.ndarray, elements: int) -> np.ndarray:
    """Contiguous, from `elements` past a multiple of 64 bytes."""
    size = array.itemsize
    room = np.empty(array.nbytes + 64 + elements * size, np.uint8)
    first = -room.ctypes.data % 64 + elements * size
    moved: np.ndarray = room[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


def _within(array: np.ndarray, width: int, where: slice) -> np.ndarray:
    """As a part of each row of an array of this width."""
    wide = np.full((*array.shape[:-1], width), _filler(array.dtype), array.dtype)
    wide[..., where] = array
    return wide[..., where]


def laid_out(array: np.ndarray, layout: int) -> np.ndarray:
    """The same values as the layout says; the array itself where it says nothing of such an array."""
    if not array.ndim or not array.size:
        return array  # asfortranarray would give it an axis
    last = array.shape[-1]
    if layout == 1:
        return np.asfortranarray(array)
    if layout == 2:
        return _within(array, 2 * last, slice(None, None, 2))
    if layout == 3:
        return _within(array, 3 * last + 1, slice(last, 2 * last))
    if layout in (4, 5, 6):
        return _past(array, layout - 3)
    if layout == 7:
        return np.ascontiguousarray(array[..., ::-1])[..., ::-1]
    if layout == 8:
        return np.ascontiguousarray(array[::-1])[::-1]
    if layout == 9 and array.tobytes() == array[:1].tobytes() * len(array):
        bits = array.view(f"u{array.itemsize}")  # as_strided does not know the types of ml_dtypes
        return np.lib.stride_tricks.as_strided(bits, strides=(0, *array.strides[1:])).view(array.dtype)
    return array


def declines_layout(error: BaseException | None, layout: int) -> bool:
    """Whether the error refuses negative strides, as that of torch.from_numpy does: they are no part of a problem."""
    return layout in _BACKWARDS and "negative" in str(error)
