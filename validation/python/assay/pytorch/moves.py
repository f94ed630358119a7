"""Rows of functions that move elements. Each takes an array of positions and returns another, or several."""

from __future__ import annotations

from typing import Any, Dict, Sequence, Tuple

import numpy as np

from .._traced import NotTraceable


def sizes_of(given: Tuple[Any, ...]) -> Tuple[int, ...]:
    """view(2, 3) and view((2, 3)) are the same."""
    return tuple(int(one) for one in (given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given))


def _reshape(p: np.ndarray, *shape: Any) -> np.ndarray:
    if len(shape) == 1 and not isinstance(shape[0], (int, tuple, list, np.integer)):
        raise NotTraceable(f"view({shape[0]!r}): expected a shape; a view as another type cannot be traced")
    sizes = sizes_of(shape)
    known = int(np.prod([one for one in sizes if one != -1], dtype=np.int64))
    if -1 in sizes and p.size == 0 and known:  # which NumPy refuses of an empty array only where the rest is 0
        sizes = tuple(0 if one == -1 else one for one in sizes)
    return p.reshape(sizes)


def _flatten(p: np.ndarray, start_dim: int = 0, end_dim: int = -1) -> np.ndarray:
    if not p.ndim:
        return p.reshape(1)
    first, last = start_dim % p.ndim, end_dim % p.ndim
    return p.reshape(*p.shape[:first], int(np.prod(p.shape[first : last + 1], dtype=np.int64)), *p.shape[last + 1 :])


def _unflatten(p: np.ndarray, dim: int, sizes: Sequence[int]) -> np.ndarray:
    dim %= p.ndim
    sizes = list(sizes)
    if -1 in sizes:
        sizes[sizes.index(-1)] = p.shape[dim] // -int(np.prod(sizes))
    return p.reshape(*p.shape[:dim], *sizes, *p.shape[dim + 1 :])


def _squeeze(p: np.ndarray, dim: Any = None) -> np.ndarray:
    axes = range(p.ndim) if dim is None else [one % max(p.ndim, 1) for one in (dim if isinstance(dim, (tuple, list)) else (dim,))]
    return np.squeeze(p, tuple(one for one in axes if p.ndim and p.shape[one] == 1))


def _permute(p: np.ndarray, *dims: Any) -> np.ndarray:
    return np.transpose(p, sizes_of(dims))


def _expand(p: np.ndarray, *sizes: Any) -> np.ndarray:
    wanted = sizes_of(sizes)
    lead = len(wanted) - p.ndim
    return np.broadcast_to(p, tuple(p.shape[k - lead] if one == -1 else one for k, one in enumerate(wanted)))


def _narrow(p: np.ndarray, dim: int, start: int, length: int) -> np.ndarray:
    return np.take(p, np.arange(start, start + length), dim)


def _split(p: np.ndarray, split_size_or_sections: Any, dim: int = 0, **named: Any) -> Tuple[np.ndarray, ...]:
    sizes = named.get("split_size", split_size_or_sections)
    if isinstance(sizes, int):
        ends = list(range(sizes, p.shape[dim], sizes))
    elif sum(sizes) != p.shape[dim]:
        raise ValueError(f"split into {list(sizes)}: expected sizes whose sum is {p.shape[dim]}")
    else:
        ends = list(np.cumsum(sizes)[:-1])
    return tuple(np.split(p, ends, dim))


def _chunk(p: np.ndarray, chunks: int, dim: int = 0) -> Tuple[np.ndarray, ...]:
    return _split(p, max(-(-p.shape[dim] // chunks), 1), dim)


def _tensor_split(p: np.ndarray, indices_or_sections: Any, dim: int = 0) -> Tuple[np.ndarray, ...]:
    return tuple(np.array_split(p, indices_or_sections, dim))


def _repeat(p: np.ndarray, *sizes: Any) -> np.ndarray:
    return np.tile(p, sizes_of(sizes))


def _repeat_interleave(p: np.ndarray, repeats: int, dim: Any = None) -> np.ndarray:
    return np.repeat(p, repeats, dim)


def _roll(p: np.ndarray, shifts: Any, dims: Any = None) -> np.ndarray:
    return np.roll(p, shifts, tuple(dims) if isinstance(dims, list) else dims)


def _unfold(p: np.ndarray, dimension: int, size: int, step: int) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(p, size, dimension % p.ndim)
    return np.take(windows, np.arange(0, windows.shape[dimension % p.ndim], step), dimension % p.ndim)


def _get_item(p: np.ndarray, key: Any) -> np.ndarray:
    """Slices and indices that are known; an ordinary tensor among them is a constant."""
    keys = key if isinstance(key, tuple) else (key,)
    taken: np.ndarray = p[tuple(np.asarray(one) if hasattr(one, "numpy") or isinstance(one, list) else one for one in keys)]
    return taken


def _known(index: Any) -> np.ndarray:
    return np.asarray(index)


def _gather(p: np.ndarray, dim: int, index: Any, sparse_grad: bool = False) -> np.ndarray:
    at, axis = _known(index), dim % p.ndim
    part = p[tuple(slice(None) if k == axis else slice(n) for k, n in enumerate(at.shape))]
    return np.take_along_axis(part, at, axis)


def _diagonal(p: np.ndarray, offset: int = 0, dim1: int = 0, dim2: int = 1) -> np.ndarray:
    return np.diagonal(p, offset, dim1, dim2)


def _pixel_shuffle(p: np.ndarray, upscale_factor: int) -> np.ndarray:
    r, (*lead, C, H, W) = upscale_factor, p.shape
    n = len(lead)
    moved = p.reshape(*lead, C // (r * r), r, r, H, W).transpose(*range(n + 1), n + 3, n + 1, n + 4, n + 2)
    return moved.reshape(*lead, C // (r * r), H * r, W * r)


def _pixel_unshuffle(p: np.ndarray, downscale_factor: int) -> np.ndarray:
    r, (*lead, C, H, W) = downscale_factor, p.shape
    n = len(lead)
    moved = p.reshape(*lead, C, H // r, r, W // r, r).transpose(*range(n + 1), n + 2, n + 4, n + 1, n + 3)
    return moved.reshape(*lead, C * r * r, H // r, W // r)


def _channel_shuffle(p: np.ndarray, groups: int) -> np.ndarray:
    N, C, *rest = p.shape
    return p.reshape(N, groups, C // groups, *rest).swapaxes(1, 2).reshape(p.shape)


def _swapped(p: np.ndarray, dim0: int, dim1: int) -> np.ndarray:
    return np.swapaxes(p, dim0, dim1)


def _at_least(n: int) -> Any:
    return lambda p: p if p.ndim >= n else getattr(np, f"atleast_{n}d")(p)


MOVES: Dict[str, Any] = {
    "view": _reshape, "reshape": _reshape, "flatten": _flatten, "ravel": np.ravel, "unflatten": _unflatten, "squeeze": _squeeze,
    "unsqueeze": lambda p, dim: np.expand_dims(p, dim), "transpose": _swapped, "swapaxes": _swapped, "swapdims": _swapped,
    "t": np.transpose, "T": np.transpose, "mT": lambda p: np.swapaxes(p, -1, -2), "permute": _permute,
    "movedim": lambda p, source, destination: np.moveaxis(p, source, destination),
    "moveaxis": lambda p, source, destination: np.moveaxis(p, source, destination), "expand": _expand, "broadcast_to": _expand,
    "narrow": _narrow, "select": lambda p, dim, index: np.take(p, index, dim),
    "split": _split, "split_with_sizes": _split, "chunk": _chunk, "tensor_split": _tensor_split,
    "unbind": lambda p, dim=0: tuple(np.moveaxis(p, dim, 0)), "diagonal": _diagonal, "unfold": _unfold, "__getitem__": _get_item,
    "flip": lambda p, *dims: np.flip(p, sizes_of(dims)), "fliplr": np.fliplr, "flipud": np.flipud, "roll": _roll,
    "repeat": _repeat,
    "tile": _repeat, "repeat_interleave": _repeat_interleave, "contiguous": np.asarray, "clone": np.array, "detach": np.asarray,
    "rot90": lambda p, k=1, dims=(0, 1): np.rot90(p, k, tuple(dims)), "gather": _gather,
    "index_select": lambda p, dim, index: np.take(p, _known(index), dim),
    "take_along_dim": lambda p, indices, dim: np.take_along_axis(p, _known(indices), dim),
    "pixel_shuffle": _pixel_shuffle, "pixel_unshuffle": _pixel_unshuffle, "channel_shuffle": _channel_shuffle,
    "native_channel_shuffle": _channel_shuffle, "atleast_1d": _at_least(1), "atleast_2d": _at_least(2), "alias": np.asarray,
}  # fmt: skip

VIEWS = frozenset(
    "view unflatten squeeze unsqueeze transpose swapaxes swapdims t T mT permute movedim moveaxis expand broadcast_to "
    "narrow select split split_with_sizes chunk tensor_split unbind diagonal unfold detach alias".split()
)


def is_view(name: str, args: Sequence[Any]) -> bool:
    """Whether the result shares memory with the tensor: a slice does, an index that is a list or a tensor does not."""
    if name != "__getitem__":
        return name in VIEWS
    keys = args[1] if isinstance(args[1], tuple) else (args[1],)
    return all(one is None or one is Ellipsis or isinstance(one, (int, slice)) and not isinstance(one, bool) for one in keys)
