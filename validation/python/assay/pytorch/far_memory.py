"""Tensors on an NVIDIA GPU of more bytes than are worth their memory: all of the addresses may be read and written, but only
some pieces have memory of their own. Between those, all addresses lead to one piece of 64 MiB (cuMemMap of the CUDA driver)."""

from __future__ import annotations

import ctypes
import weakref
from typing import Any, Callable, Dict, List, Sequence, Set

import torch

_PIECE = 1 << 26  # a multiple of every driver's granularity, which is 2 MiB
_TYPES = {1: "|u1", 2: "<i2", 4: "<i4", 8: "<i8"}  # by size, for PyTorch to take an address as a tensor


class NoFarMemory(RuntimeError):
    """The driver has no such memory."""


class _Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class _Flags(ctypes.Structure):
    _fields_ = [("compression", ctypes.c_ubyte), ("rdma", ctypes.c_ubyte), ("usage", ctypes.c_ushort), ("rest", ctypes.c_ubyte * 4)]


class _Properties(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("handles", ctypes.c_int), ("location", _Location), ("windows", ctypes.c_void_p),
                ("flags", _Flags)]  # fmt: skip


class _Access(ctypes.Structure):
    _fields_ = [("location", _Location), ("flags", ctypes.c_int)]


_PINNED, _DEVICE, _READ_AND_WRITE = 1, 1, 3
_address, _size, _handle = ctypes.c_uint64, ctypes.c_size_t, ctypes.c_uint64
_SIGNATURES: Dict[str, List[Any]] = {
    "cuMemAddressReserve": [ctypes.POINTER(_address), _size, _size, _address, ctypes.c_uint64],
    "cuMemAddressFree": [_address, _size],
    "cuMemCreate": [ctypes.POINTER(_handle), _size, ctypes.POINTER(_Properties), ctypes.c_uint64],
    "cuMemRelease": [_handle],
    "cuMemMap": [_address, _size, _size, _handle, ctypes.c_uint64],
    "cuMemUnmap": [_address, _size],
    "cuMemSetAccess": [_address, _size, ctypes.POINTER(_Access), _size],
}


def _driver() -> Callable[..., None]:
    try:
        library = ctypes.CDLL("libcuda.so.1")
        functions = {name: getattr(library, name) for name in _SIGNATURES}
    except (OSError, AttributeError) as error:
        raise NoFarMemory(f"the CUDA driver cannot map memory: {error}") from error
    for name, signature in _SIGNATURES.items():
        functions[name].argtypes, functions[name].restype = signature, ctypes.c_int

    def call(name: str, *arguments: Any) -> None:
        status = functions[name](*arguments)
        if status != 0:
            raise NoFarMemory(f"{name} of the CUDA driver returned {status}")

    return call


class _Range:
    """Addresses of whole pieces; those in `own` have memory of their own."""

    def __init__(self, device: int, pieces: int, own: Sequence[int]) -> None:
        self._call, self.bytes = _driver(), pieces * _PIECE
        self._mapped: List[int] = []
        self.begin = _address()
        self._call("cuMemAddressReserve", ctypes.byref(self.begin), self.bytes, 0, 0, 0)
        try:
            self._map(device, pieces, set(own))
        except NoFarMemory:
            self.free()
            raise

    def _map(self, device: int, pieces: int, own: Set[int]) -> None:
        location = _Location(_DEVICE, device)
        shared = self._created(location)
        try:
            for piece in range(pieces):
                handle = self._created(location) if piece in own else shared
                at = self.begin.value + piece * _PIECE
                self._call("cuMemMap", at, _PIECE, 0, handle, 0)
                self._mapped.append(at)
                if piece in own:
                    self._call("cuMemRelease", handle)  # the mapping holds it
        finally:
            self._call("cuMemRelease", shared)
        access = _Access(location, _READ_AND_WRITE)
        self._call("cuMemSetAccess", self.begin, self.bytes, ctypes.byref(access), 1)

    def _created(self, location: _Location) -> int:
        handle, properties = _handle(), _Properties(type=_PINNED, location=location)
        self._call("cuMemCreate", ctypes.byref(handle), _PIECE, ctypes.byref(properties), 0)
        return handle.value

    def free(self) -> None:
        for at in self._mapped:
            self._call("cuMemUnmap", at, _PIECE)
        self._mapped = []
        self._call("cuMemAddressFree", self.begin, self.bytes)


class _Addresses:
    """An address as PyTorch takes it. Tensors hold it, and the last of them frees the memory."""

    def __init__(self, memory: _Range, elements: int, size: int) -> None:
        self.__cuda_array_interface__ = {"shape": (elements,), "typestr": _TYPES[size], "data": (memory.begin.value, False),
                                         "version": 3}  # fmt: skip
        weakref.finalize(self, _freed, memory)


def _pieces_of(place: int, of_row: int) -> range:
    return range(place * of_row // _PIECE, ((place + 1) * of_row - 1) // _PIECE + 1)


def far_tensor(rows: torch.Tensor, places: Sequence[int], count: int, between: torch.Tensor) -> torch.Tensor:
    """A tensor on the rows' device of `count` rows: these at their places, and elsewhere the numbers `between` in turn. Raises
    NoFarMemory."""
    size, of_row = rows.element_size(), rows[0].numel() * rows.element_size()
    own = {piece for place in places for piece in _pieces_of(place, of_row)}
    pieces = -(-count * of_row // _PIECE)
    memory = _Range(rows.device.index or 0, pieces, sorted(own))
    whole = torch.as_tensor(_Addresses(memory, pieces * _PIECE // size, size), device=rows.device).view(rows.dtype)
    shared = [piece for piece in range(pieces) if piece not in own]
    fill = between.reshape(-1).repeat(-(-_PIECE // size // between.numel()))[: _PIECE // size]
    for piece in (*own, *shared[:1]):
        whole[piece * _PIECE // size : (piece + 1) * _PIECE // size] = fill
    tensor = whole[: count * rows[0].numel()].view(count, *rows.shape[1:])
    for place, row in zip(places, rows):
        tensor[place] = row
    return tensor


def _freed(memory: _Range) -> None:
    try:
        torch.cuda.synchronize()
    except RuntimeError:  # a launch failed, after which no call succeeds
        return
    memory.free()
