"""Functions of `xp` that round to small formats, for traced arrays and for NumPy's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Optional, Tuple

import numpy as np

from . import _numbers
from ._formats import GRADIENTS, ROUNDINGS, Format, format_called


def _axis_of(function: str, axis: Any, block: Any, axes: int) -> Optional[int]:
    """The axis, checked, and the block."""
    if block is not None:
        _numbers.whole(f"{function}: block", block, 1)
        if axis is None:
            raise ValueError(f"{function}: axis = None with block = {block!r}: expected the axis that has the blocks")
    if axis is None or not axes:
        return None  # a number has one scale
    return _numbers.whole(f"{function}: axis", axis, -axes, axes - 1)


def _require_rounding(function: str, rounding: str, overflow: str) -> None:
    _numbers.one_of(f"{function}: rounding", rounding, ROUNDINGS)
    _numbers.one_of(f"{function}: overflow", overflow, ("saturate", "nonfinite"))


def _require_scale(argument: str, scale: Any) -> None:
    if isinstance(scale, (int, float, np.number)) and not (np.isfinite(scale) and scale != 0):
        raise ValueError(f"{argument} = {scale!r}: expected a finite number other than 0")


class Quantising:
    """What a formula says of a quantised kernel; `self` is `xp`."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def cast(
        self,
        x: Any,
        format: str,
        *,
        scale: Any = None,
        rounding: str = "nearest-even",
        overflow: str = "saturate",
        gradient: str = "flat",
    ) -> Any:
        """x, or x / scale, rounded to a format. overflow="nonfinite" makes what is too large the format's infinity or NaN.

        gradient  "flat": 0; "straight-through": as if nothing were rounded; "rounded": so, or rounded to the format itself, as
                  PyTorch and JAX have it
        """
        to = format_called("xp.cast: format", format)
        _require_rounding("xp.cast", rounding, overflow)
        _numbers.one_of("xp.cast: gradient", gradient, GRADIENTS)
        if scale is not None:
            _require_scale("xp.cast: scale", scale)
            x = self.asarray(x) / scale
        return self._cast(self.asarray(x), to, rounding, overflow == "saturate", gradient)

    def quantize(
        self,
        x: Any,
        format: str,
        *,
        axis: Optional[int] = -1,
        block: Optional[int] = None,
        rounding: str = "nearest-even",
        overflow: str = "saturate",
        scale: Any = "absmax",
        least: float = 0.0,
    ) -> Tuple[Any, Any]:
        """(codes, scale) of x: one scale for each row along `axis` (None: for all), or for each `block` elements of it.

        scale  "absmax": the largest size over the format's largest number; "mx": the power of two of OCP Microscaling, as
               e8m0; or an array
        least  the least size that "absmax" divides; rows of zeros have codes of 0 and a scale of least / largest
        """
        x, to = self.asarray(x), format_called("xp.quantize: format", format)
        axis = _axis_of("xp.quantize", axis, block, len(x.shape))
        _require_rounding("xp.quantize", rounding, overflow)
        least = _numbers.real("xp.quantize: least", least, 0)
        _require_scale("xp.quantize: scale", scale)
        if isinstance(scale, str):
            scale = self._scale(x, to, axis, block, _numbers.one_of("xp.quantize: scale", scale, ("absmax", "mx")), least)
        wide = self._spread(scale, x.shape, axis, block)
        is_zero = self.equal(wide, 0)
        q = self.where(is_zero, 0.0, x / self.where(is_zero, 1.0, wide))
        return self.cast(q, to.name, rounding=rounding, overflow=overflow), scale

    def dequantize(
        self, q: Any, scale: Any, *, zero_point: Any = None, axis: Optional[int] = -1, block: Optional[int] = None
    ) -> Any:
        """(q - zero_point) scale, each scale and zero point for `block` elements along `axis` where that is given."""
        q = self.asarray(q)
        axis = _axis_of("xp.dequantize", axis, block, len(q.shape))
        if zero_point is not None:
            q = q - self._spread(zero_point, q.shape, axis, block)
        return q * self._spread(scale, q.shape, axis, block)

    def _scale(self, x: Any, to: Format, axis: Optional[int], block: Optional[int], rule: str, least: float) -> Any:
        size = self.abs(x)
        if block is None:
            most = self.max(size, axis=axis, keepdims=True)
        else:
            row = self.moveaxis(size, axis, -1)
            tail = -row.shape[-1] % block
            row = self.concat([row, self.zeros((*row.shape[:-1], tail))], axis=-1)  # which no maximum of sizes notices
            row = self.reshape(row, (*row.shape[:-1], row.shape[-1] // block, block))
            most = self.moveaxis(self.max(row, axis=-1), -1, axis)
        if least > 0 or 0 in x.shape:  # a row may have no elements
            most = self.maximum(most, least)
        if rule == "absmax":
            return most / to.largest
        exponent = math.frexp(to.largest)[1] - 1
        return self.cast(most * 2.0**-exponent, "e8m0", rounding="zero")

    def _spread(self, scale: Any, shape: Tuple[int, ...], axis: Optional[int], block: Optional[int]) -> Any:
        """The scale of each element."""
        if block is None:
            return self.broadcast_to(self.asarray(scale), shape)
        row = self.moveaxis(self.repeat(self.asarray(scale), block, axis=axis), axis, -1)
        return self.moveaxis(row[..., : shape[axis]], -1, axis)  # type: ignore[index]
