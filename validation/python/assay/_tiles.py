"""Scales as block-scaled products of cuBLAS read them: in tiles of 128 rows and 4 columns, each 512 bytes in a row.

In a tile, scale (r, c) is at 16 (r mod 32) + 4 floor(r / 32) + c. Tiles lie row by row, the last ones filled up with 0.
https://docs.nvidia.com/cuda/cublas/index.html#d-block-scaling-factors-layout
"""

from __future__ import annotations

from itertools import product
from typing import Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

TILED = "uint8 128x4"
TILE = (128, 4)
# Numbers of tiles down and across, and what is filled of the last ones: a stride of tiles that is taken for the other shows
# where both differ.
_TRIED = (((2, 2), (37, 1)), ((2, 3), (100, 3)), ((3, 2), (1, 2)), ((2, 2), TILE))

Sizes = Dict[str, int]


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


def _largest(
    shape_at: Callable[[Sizes], Sequence[int]], sizes: Sizes, name: str, taken: Sequence[int], axis: int, most: int
) -> Optional[int]:
    """The largest size of an extent with which the array is at most so long."""
    low, high = 0, len(taken)
    while low < high:
        middle = (low + high) // 2
        if shape_at({**sizes, name: taken[middle]})[axis] <= most:
            low = middle + 1
        else:
            high = middle
    return taken[low - 1] if low else None


def sizes_with_tiles(shape_at: Callable[[Sizes], Sequence[int]], taken: Dict[str, Sequence[int]]) -> List[Sizes]:
    """Sizes of extents at which a matrix has several tiles down and across, and last ones that are not full, as far as the sizes that are
    `taken` of each extent, in their order, allow it. `shape_at` is the matrix's shape, which grows with them."""
    few = {name: sizes[min(1, len(sizes) - 1)] for name, sizes in taken.items()}
    found: List[Sizes] = []
    for tiles, rest in _TRIED:
        sizes: Sizes = {}
        for (axis, tile), name in product(enumerate(TILE), taken):
            size = _largest(shape_at, few, name, taken[name], axis, tile * (tiles[axis] - 1) + rest[axis])
            if size is not None and shape_at({**few, name: size})[axis] > tile:
                sizes[name] = max(size, sizes.get(name, 0))
        if sizes and sizes not in found:
            found.append(sizes)
    return found
