"""Scales as block-scaled products of cuBLAS read them: in tiles of 128 rows and 4 columns, each 512 bytes in a row.

In a tile, scale (r, c) is at 16 (r mod 32) + 4 floor(r / 32) + c. Tiles lie row by row, the last ones filled up with 0.
https://docs.nvidia.com/cuda/cublas/index.html#d-block-scaling-factors-layout
"""

from __future__ import annotations

from typing import Tuple

import numpy as np


def _tiles(shape: Tuple[int, ...]) -> Tuple[int, int]:
    return -(-shape[0] // 128), -(-shape[1] // 4)


def tiled_shape(shape: Tuple[int, ...]) -> Tuple[int, ...]:
    rows, columns = _tiles(shape)
    return (512 * rows * columns,)


def tiled(codes: np.ndarray) -> np.ndarray:
    """The codes of a matrix in the order of the tiles."""
    rows, columns = _tiles(codes.shape)
    whole = np.pad(codes, [(0, 128 * rows - codes.shape[0]), (0, 4 * columns - codes.shape[1])])
    return np.ascontiguousarray(whole.reshape(rows, 4, 32, columns, 4).transpose(0, 3, 2, 1, 4)).reshape(-1)


def untiled(array: np.ndarray, shape: Tuple[int, ...]) -> np.ndarray:
    """The matrix of these codes. Raises ValueError where something else than 0 fills a tile."""
    rows, columns = _tiles(shape)
    whole = array.reshape(rows, columns, 32, 4, 4).transpose(0, 3, 2, 1, 4).reshape(128 * rows, 4 * columns)
    codes = whole[: shape[0], : shape[1]]
    rest = whole.copy()
    rest[: shape[0], : shape[1]] = 0
    if np.any(rest):
        row, column = (int(one[0]) for one in np.nonzero(rest))
        raise ValueError(f"what fills the tiles at row {row}, column {column}\n  got      {int(rest[row, column]):#x}\n"
                         f"  expected 0, outside of the {shape[0]} x {shape[1]} scales")  # fmt: skip
    return codes
