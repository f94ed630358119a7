"""Arrays of any framework as NumPy arrays, without importing one.

A result of a kernel is read, in this order, as a NumPy array, by DLPack (``__dlpack__``), by ``__array__`` and by the
buffer protocol. NumPy has no bfloat16: arrays of it are carried as their 16 bits, of dtype uint16, beside the name
"bfloat16".
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple, Sequence

import numpy as np

MOST_INT64 = 2**63 - 1
LARGEST_REPEATED = 1 << 32  # bytes of an array whose elements lie at one place, which take none of their own


class Carried(NamedTuple):
    """An array on its way to the judge."""

    dtype: str  # NumPy's name, or "bfloat16"
    array: np.ndarray  # of bfloat16: its bits, uint16


def bits_of(value: Any, names: Sequence[str]) -> Any:
    """A view of the bits, by an integer type of these names that the array's own module has."""
    if isinstance(value, np.ndarray):  # of ml_dtypes
        return value.view(names[0])
    module = sys.modules[type(value).__module__]
    for name in names:
        if hasattr(module, name):
            return value.view(getattr(module, name))
    if hasattr(value, "__array__"):  # JAX: as types of ml_dtypes, which it comes with
        return np.asarray(value).view(names[0])
    raise TypeError(f"{value.dtype} of {type(value).__module__}.{type(value).__name__}: return its bits as {names[0]}")


def bits_of_bfloat16(value: Any) -> Any:
    return bits_of(value, ("uint16", "int16"))


def shown(value: Any) -> str:
    """What a message shows of a value: its beginning, in a line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def argument(name: str, value: Any) -> np.ndarray:
    """The argument of that name, an array, a number or a list of such, as a NumPy array. Raises TypeError for what is
    none, ValueError for rows of several lengths and for numbers that no type of 64 bits has."""
    try:
        array = np.asarray(value) if isinstance(value, (list, tuple, int, float)) else to_numpy(value)
    except TypeError as error:
        raise TypeError(f"{name} = {shown(value)}: {error}") from None
    except ValueError:
        raise ValueError(f"{name} = {shown(value)}: expected rows of one length") from None
    if array.dtype == object:
        raise ValueError(f"{name} = {shown(value)}: expected numbers of at most 64 bits, in rows of one length")
    return array


def as_int64(name: str, array: np.ndarray) -> np.ndarray:
    """The integers in rows. Raises ValueError for one past int64, which NumPy would make negative."""
    past: Any = np.flatnonzero(array > np.uint64(MOST_INT64)) if array.dtype == np.uint64 else ()
    if len(past) > 0:
        raise ValueError(f"{name}: element {past[0]} = {array.flat[past[0]]}: expected at most 2^63 - 1")
    return np.require(array, np.int64, ["C"])


def carried_argument(name: str, value: Any) -> Carried:
    """The argument of that name for the judge."""
    if isinstance(value, (list, tuple, int, float)):
        return carry(argument(name, value))
    try:
        return carry(value)
    except TypeError as error:
        raise TypeError(f"{name} = {shown(value)}: {error}") from None


def require_plain(value: Any) -> None:
    """Raises TypeError for a number or an array of a type that only inherits from one of NumPy's, PyTorch's or Python's, or that
    has methods of its own: operations may give its user other numbers than its memory holds."""
    torch = sys.modules.get("torch")
    of_torch = () if torch is None else (torch.Tensor, torch.nn.Parameter)
    for base, plain in ((np.ndarray, (np.ndarray, np.memmap)), (of_torch[:1], of_torch), ((float, int), (float, int, bool))):
        if isinstance(value, base) and type(value) not in plain and not isinstance(value, (np.generic, np.ma.MaskedArray)):
            raise TypeError(f"a {type(value).__name__}, which computes by rules of its own: expected a plain {plain[0].__name__}")
    if isinstance(value, of_torch):
        for name in vars(value):
            if hasattr(type(value), name):
                raise TypeError(f"a tensor with a {name} of its own: expected a plain tensor")


def carry_result(value: Any) -> Carried:
    """A result of a kernel for the judge. Raises TypeError for what is no plain array."""
    require_plain(value)
    return carry(value)


def _as_read(tensor: Any) -> Any:
    """Without its history, and with the numbers that its user reads: PyTorch notes a negation or a conjugation as a bit beside
    memory that holds the numbers before it."""
    tensor = tensor.detach()
    return tensor.resolve_conj().resolve_neg() if hasattr(tensor, "resolve_neg") else tensor


def to_numpy(value: Any) -> np.ndarray:
    """`value` as a NumPy array. Raises TypeError, naming what was tried, for a value that is no array."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError("a masked array, whose mask would be lost: expected its numbers, such as filled(0) gives")
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "detach"):  # PyTorch: NumPy cannot read a tensor that requires a gradient, or that is on a GPU
        value = _as_read(value)
        value = value.cpu() if getattr(getattr(value, "device", None), "type", "cpu") != "cpu" else value
    elif hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):  # CuPy
        value = value.get()
    tried = []
    for name, take in (("__dlpack__", np.from_dlpack), ("__array__", np.asarray)):
        if hasattr(value, name):
            try:
                return take(value)
            except (TypeError, RuntimeError, BufferError, ValueError) as error:
                tried.append(f"{name}: {error}")
    try:
        return np.asarray(memoryview(value))
    except TypeError:
        pass
    raise TypeError(f"{type(value).__name__} is not an array" + (f": {'; '.join(tried)}" if tried else ""))


def carry(value: Any) -> Carried:
    """`value` for the judge; a plain Python number is taken as float32. Raises TypeError for what is no array."""
    carried = _carried(value)
    array = carried.array
    if array.nbytes > LARGEST_REPEATED and 0 in array.strides:
        raise TypeError(f"{array.nbytes} bytes of the shape {list(array.shape)}, of which a few are repeated")
    return carried


def _carried(value: Any) -> Carried:
    if isinstance(value, (float, int)) and not isinstance(value, np.generic):
        return Carried("float32", np.asarray(value, np.float32))
    of = str(getattr(value, "dtype", "")).rpartition(".")[2]
    read = _as_read(value) if hasattr(value, "detach") else value
    if of.startswith(("float8_", "float6_", "float4_")):
        return Carried(of, to_numpy(bits_of(read, ("uint8",))))
    if of in ("int4", "uint4"):  # of ml_dtypes
        return Carried(of, np.asarray(value).astype("int8" if of == "int4" else "uint8"))
    if of.endswith("bfloat16"):
        bits = to_numpy(bits_of_bfloat16(read))
        return Carried("bfloat16", bits.view(np.uint16))
    array = to_numpy(read)
    if array.dtype.byteorder == ">" or (array.dtype.byteorder == "=" and sys.byteorder == "big"):
        array = array.astype(array.dtype.newbyteorder("<"))
    return Carried(array.dtype.name, array)


def from_bfloat16(bits: np.ndarray) -> np.ndarray:
    """float32 of the bits of bfloat16."""
    return np.asarray(bits.astype(np.uint32) << 16, np.uint32).view(np.float32)  # a shifted number alone would be int64


def to_bfloat16(x: Any) -> np.ndarray:
    """The bits of the nearest bfloat16, ties to even."""
    word = np.asarray(x, np.float32).view(np.uint32)
    rounded = ((word + 0x7FFF + ((word >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FC0), rounded)


def bfloat16_array(bits: np.ndarray) -> np.ndarray:
    """An array of ml_dtypes.bfloat16 where ml_dtypes is there, else the bits, as uint16."""
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        return bits
    return bits.view(bfloat16)
