"""Small number formats, and how kernels hold their codes in arrays: as a type of their own, as bits, or packed.

The formats are those of reference/number/small_format.h. "e4m3" is e4m3fn.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy as np

from . import _core, _numbers
from ._tiles import TILED, tiled, tiled_shape, untiled

ROUNDINGS = ("nearest-even", "nearest-away", "zero", "up", "stochastic")
GRADIENTS = ("flat", "straight-through", "rounded")
HELD_TYPES = ("uint8", "int8", "uint32", "int32")
_WORD = rf"({'|'.join(HELD_TYPES)})(?: (low-first|high-first|128x4|[0-7]{{2,8}}))?(?: axis ([0-9]))?"
_EXAMPLES = "'uint8', 'uint8 low-first', 'uint8 high-first', 'uint32 low-first', 'int32 02461357 axis 0', 'uint8 128x4'"


class Format(NamedTuple):
    """A format: its numbers by code, of which some may be NaN or infinite."""

    name: str
    bits: int
    is_whole: bool
    numbers: np.ndarray

    @property
    def finite(self) -> np.ndarray:
        """The numbers in their order."""
        return np.unique(self.numbers[np.isfinite(self.numbers)])

    @property
    def largest(self) -> float:
        return float(self.finite[-1])


@lru_cache(maxsize=None)
def formats() -> Dict[str, Format]:
    return {name: Format(name, bits, is_whole, np.array(numbers)) for name, bits, is_whole, numbers in _core.small_formats()}


def format_called(argument: str, name: Any) -> Format:
    """The format of that name. Raises ValueError, which says what `argument` was expected to be."""
    known = formats()
    return known[_numbers.one_of(argument, "e4m3fn" if name == "e4m3" else name, tuple(known))]


def format_of_type(name: str) -> Optional[Format]:
    """That of a type of ml_dtypes or PyTorch whose elements are bits, such as float8_e4m3fn."""
    found = re.fullmatch("float[468]_(e[0-9]m[0-9])(fnuz|fnu|fn)?", name)
    if not found:
        return None
    return formats().get(found[1] + (found[2] or "")) or formats().get(found[1])


class Packing(NamedTuple):
    """Codes in the elements of an array: `order` has the place of each, from the lowest bits, of those that share one."""

    dtype: str
    order: Tuple[int, ...]  # one: each has an element of its own
    axis: int
    is_tiled: bool = False  # in tiles of 128 x 4, as _tiles.py says


def packing_called(argument: str, word: Any) -> Tuple[str, str, int]:
    """The type, the order and the axis (-1: the last) that a word such as "uint8 low-first" says."""
    found = re.fullmatch(_WORD, word) if isinstance(word, str) else None
    if not found:
        raise ValueError(f"{argument} = {word!r}: expected how codes are held, such as {_EXAMPLES}")
    return found[1], found[2] or "", -1 if found[3] is None else int(found[3])


def require_held(argument: str, word: str, of: Format, axes: int) -> None:
    """Raises ValueError, which names the argument, unless an array of so many axes can be held as the word says."""
    try:
        packing = packing_of(of, word)
    except ValueError as error:
        raise ValueError(f"{argument} = {error}") from None
    if packing.is_tiled and axes != 2:
        raise ValueError(f"{argument} = {word!r}, but the array has {axes} axes: expected 2")
    if len(packing.order) > 1 and not -axes <= packing.axis < axes:
        expected = f"an axis from 0 to {axes - 1}" if axes else f"{packing.dtype!r} alone"
        raise ValueError(f"{argument} = {word!r}, but the array has {axes} axes: expected {expected}")


def packing_of(of: Format, word: str) -> Packing:
    """The packing that a word means for codes of a format. Raises ValueError where they do not fit."""
    dtype, order, axis = packing_called("the type", word)
    if not order:
        return Packing(dtype, (0,), axis)
    if order == "128x4":
        if word != TILED:
            raise ValueError(f"{word!r} of {of.name}: expected {TILED!r}, tiles with a byte for each scale")
        return Packing(dtype, (0,), axis, True)
    each = 8 * np.dtype(dtype).itemsize // (4 if of.bits == 4 else 8)
    holds = {"low-first": range(each), "high-first": range(each - 1, -1, -1)}.get(order) or [int(one) for one in order]
    if sorted(holds) != list(range(each)):
        raise ValueError(
            f"{word!r} of {of.name}: expected low-first, high-first or which of {each} codes each place has, "
            f"from the lowest bits, such as {''.join(str(k) for k in range(each))}"
        )
    return Packing(dtype, tuple(int(place) for place in np.argsort(holds)), axis)


def _own_type(of: Format) -> Any:
    """The type of ml_dtypes where it is there, else that of the bits; of whole numbers int8 or uint8."""
    if of.is_whole:
        return np.dtype("uint8" if of.name.startswith("u") else "int8")
    try:
        import ml_dtypes
    except ImportError:
        return np.dtype(np.uint8)
    prefix = {8: "float8_", 6: "float6_", 4: "float4_"}[of.bits]
    return np.dtype(next(getattr(ml_dtypes, one) for one in (prefix + of.name + end for end in ("", "fn", "fnu"))
                         if hasattr(ml_dtypes, one)))  # fmt: skip


def codes_of(values: Any, of: Format) -> np.ndarray:
    """The codes of numbers of the format, as uint8. Raises ValueError for what is none."""
    values = np.asarray(values, np.float64)
    has_minus_zero = bool(np.any((of.numbers == 0) & np.signbit(of.numbers)))
    values = np.where(np.isnan(values), np.nan, values if has_minus_zero else values + 0.0)
    known = np.where(np.isnan(of.numbers), np.nan, of.numbers).view(np.int64)
    order = np.argsort(known, kind="stable")
    at = order[np.minimum(np.searchsorted(known[order], values.view(np.int64)), known.size - 1)]
    wrong = known[at] != values.view(np.int64)
    if np.any(wrong):
        raise ValueError(f"{values[wrong].flat[0]}: expected a number of {of.name}")
    return at.astype(np.uint8)


def held(values: np.ndarray, of: Format, word: str) -> np.ndarray:
    """Numbers of the format as a kernel holds them."""
    codes = codes_of(values, of)
    if not word:
        own = _own_type(of)
        return values.astype(own) if of.is_whole else codes.view(own)
    packing = packing_of(of, word)
    each = len(packing.order)
    if packing.is_tiled:
        return tiled(codes)
    if each == 1:
        return values.astype(packing.dtype) if packing.dtype == "int8" and of.is_whole else codes.astype(packing.dtype)
    last = np.moveaxis(codes, packing.axis, -1)
    last = np.pad(last, [(0, 0)] * (last.ndim - 1) + [(0, -last.shape[-1] % each)])
    parts = last.reshape(*last.shape[:-1], last.shape[-1] // each, each).astype(np.uint32)
    shifts = np.array(packing.order, np.uint32) * np.uint32(4 if of.bits == 4 else 8)
    whole = np.bitwise_or.reduce(parts << shifts, axis=-1).astype("u" + packing.dtype.lstrip("u"))
    return np.ascontiguousarray(np.moveaxis(whole, -1, packing.axis)).view(packing.dtype)


def held_shape(shape: Tuple[int, ...], of: Format, word: str) -> Tuple[int, ...]:
    """The shape of an array in which a kernel holds numbers of a format."""
    packing = packing_of(of, word) if word else Packing("", (0,), -1)
    if packing.is_tiled:
        return tiled_shape(shape)
    if len(packing.order) == 1 or not shape:
        return shape
    axis = packing.axis % len(shape)
    return shape[:axis] + (-(-shape[axis] // len(packing.order)),) + shape[axis + 1 :]


def plain_type(of: Format, word: str) -> str:
    """The type of such an array for kernels in C and Metal, which have the bits of numbers that are not whole."""
    return packing_of(of, word).dtype if word else _own_type(of).name if of.is_whole else "uint8"


def held_types(of: Format, word: str) -> Tuple[str, ...]:
    """The names of the types that such an array may have."""
    if word:
        return (packing_of(of, word).dtype,)
    own = _own_type(of).name
    names = {own, "uint8"} if not of.is_whole else {own, of.name}
    return (own, *sorted(names - {own}))


def numbers_of(array: np.ndarray, of: Format, word: str, shape: Tuple[int, ...]) -> np.ndarray:
    """The numbers that an array of these codes holds, in the shape of the numbers.

    Raises ValueError where something else than 0 fills the last element of a packed array.
    """
    packing = packing_of(of, word) if word else Packing(array.dtype.name, (0,), -1)
    each, bits = len(packing.order), 4 if of.bits == 4 else 8
    if packing.is_tiled:
        array = untiled(array, shape)
    if each == 1:
        is_number = of.is_whole and (not word or packing.dtype == "int8")
        return array.astype(np.float64) if is_number else of.numbers[np.asarray(array) & (of.numbers.size - 1)]
    last = np.moveaxis(array.view("u" + packing.dtype.lstrip("u")), packing.axis, -1)
    shifts = np.array(packing.order, np.uint32) * np.uint32(bits)
    codes = (last[..., None].astype(np.uint32) >> shifts) & np.uint32((1 << bits) - 1)
    size = shape[packing.axis]
    row = codes.reshape(*last.shape[:-1], last.shape[-1] * each)
    if np.any(row[..., size:]):
        filler = row[..., size:][row[..., size:] != 0][0]
        raise ValueError(f"what fills the last element along axis {packing.axis % len(shape)}\n  got      {int(filler):#x}\n"
                         f"  expected 0, behind the last code in the order of {word!r}")  # fmt: skip
    return np.moveaxis(of.numbers[row[..., :size]], -1, packing.axis)


def rounded(x: Any, of: Format, rounding: str, saturates: bool) -> np.ndarray:
    """Numbers rounded to the format; stochastic ones to nearest."""
    x = np.asarray(x, np.float64)
    grid = of.finite
    saturates = saturates or bool(np.all(np.isfinite(of.numbers)))
    if not saturates:
        beyond = 2 * grid[-1] if of.name == "e8m0" else 2 * grid[-1] - grid[-2]
        grid = np.concatenate([[-beyond] if grid[0] < 0 else [], grid, [beyond]])
    below = np.clip(np.searchsorted(grid, x, side="right") - 1, 0, grid.size - 2)
    low, high = grid[below], grid[below + 1]
    is_odd = (np.searchsorted(of.finite, low) - np.searchsorted(of.finite, 0)) % 2 != 0
    tie_up = low >= 0 if rounding == "nearest-away" else is_odd | (of.name == "e8m0")
    middle = low / 2 + high / 2
    goes_up = {"up": x > low, "zero": (x > low) & (low < 0)}.get(rounding, (x > middle) | ((x == middle) & tie_up))
    result = np.where(x <= low, low, np.where(x >= high, high, np.where(goes_up, high, low)))
    if not saturates:
        special = np.inf if np.any(np.isinf(of.numbers)) else np.nan
        result = np.where(np.abs(result) > of.largest, np.sign(result) * special, result)
    return np.where(np.isnan(x), np.nan, result)
