"""How the arrays that a kernel is given lie in memory: the same values in 13 ways (validation/core/layouts.h)."""

from __future__ import annotations

from typing import Any, Tuple

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


def _repeated(array: np.ndarray, part: np.ndarray, strides: Tuple[int, ...]) -> np.ndarray:
    """With strides of 0 along which the array repeats this part; the array itself where it does not."""
    if array.tobytes() != np.broadcast_to(part, array.shape).tobytes():
        return array
    bits = array.view(f"u{array.itemsize}")  # as_strided does not know the types of ml_dtypes
    return np.lib.stride_tricks.as_strided(bits, strides=strides).view(array.dtype)


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
    if layout == 10 and array.ndim > 2:
        return np.ascontiguousarray(array.swapaxes(-3, -2)).swapaxes(-3, -2)
    if layout == 11 and array.ndim > 2:
        return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 1, -1)), -1, 1)
    if layout == 9:
        return _repeated(array, array[:1], (0, *array.strides[1:]))
    if layout == 12:
        return _repeated(array, array[..., :1], (*array.strides[:-1], 0))
    return array


def declines_layout(error: BaseException | None, layout: int) -> bool:
    """Whether the error refuses negative strides, as that of torch.from_numpy does: they are no part of a problem."""
    return layout in _BACKWARDS and "negative" in str(error)
