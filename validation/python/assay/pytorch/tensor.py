"""The tensors that a PyTorch function is traced with: a shape, a type and elements in a storage, as PyTorch's own have.

Views share their storage: each is an array of positions in it. A write in place makes the storage's elements anew, so that
every view shows it, and the graph stays one of values.
"""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
import torch

from .._traced import NotTraceable, Traced


class Storage:
    """The elements that a tensor and its views share."""

    def __init__(self, value: Traced) -> None:
        self.value, self.version = value, 0


class TracedTensor:
    """A tensor of a traced function. It is no torch.Tensor: PyTorch's functions find it by __torch_function__."""

    layout, is_cuda, is_sparse, is_quantized, is_nested = torch.strided, False, False, False, False
    requires_grad, grad, is_leaf, names, is_meta = False, None, True, (), False

    def __init__(self, storage: Storage, index: np.ndarray, dtype: torch.dtype) -> None:
        self._storage, self._index, self.dtype = storage, index, dtype
        self._read: Optional[Traced] = None
        self._read_version = -1

    @staticmethod
    def of(value: Traced, dtype: torch.dtype) -> "TracedTensor":
        """A tensor with a storage of its own."""
        index = np.arange(value.size).reshape(value.shape)
        made = TracedTensor(Storage(value), index, dtype)
        made._read, made._read_version = value, 0
        return made

    @property
    def value(self) -> Traced:
        """The elements as an array of the graph, as they are now."""
        if self._read is None or self._read_version != self._storage.version:
            self._read = self.xp._moved([self._storage.value], self._index)
            self._read_version = self._storage.version
        assert self._read is not None
        return self._read

    @property
    def xp(self) -> Any:
        return self._storage.value._xp

    def become(self, other: "TracedTensor") -> "TracedTensor":
        """Takes the shape and the elements of another, as unsqueeze_ does."""
        self._storage, self._index, self._read_version = other._storage, other._index, -1
        return self

    def seen_as(self, index: np.ndarray) -> "TracedTensor":
        """A view: other positions of the same storage."""
        return TracedTensor(self._storage, index, self.dtype)

    @property
    def positions(self) -> np.ndarray:
        return self._index

    def is_contiguous(self, **_: Any) -> bool:
        flat = self._index.reshape(-1)
        return flat.size < 2 or bool(np.all(np.diff(flat) == 1))

    def write(self, new: Traced) -> "TracedTensor":
        """Puts `new` in the place of the elements."""
        storage, flat = self._storage, self._index.reshape(-1)
        xp = self.xp
        new = xp.broadcast_to(new, self._index.shape)
        if flat.size != np.unique(flat).size:
            raise NotTraceable(
                "a write in place into a tensor whose elements share memory, as those of expand do: clone it first"
            )
        where = np.arange(storage.value.size)
        where[flat] = where.size + np.arange(flat.size)
        storage.value = xp._moved([storage.value, new], where.reshape(storage.value.shape))
        storage.version += 1
        return self

    @property
    def shape(self) -> torch.Size:
        return torch.Size(self._index.shape)

    @property
    def ndim(self) -> int:
        return self._index.ndim

    @property
    def device(self) -> torch.device:
        return torch.device("cpu")

    @property
    def data(self) -> "TracedTensor":
        detached: TracedTensor = self._call("detach")
        return detached

    T = property(lambda self: self._call("T"))
    mT = property(lambda self: self._call("mT"))
    real = property(lambda self: self)

    def size(self, dim: Optional[int] = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def dim(self) -> int:
        return self._index.ndim

    ndimension = dim

    def numel(self) -> int:
        return int(self._index.size)

    nelement = numel

    def stride(self, dim: Optional[int] = None) -> Any:
        """That of a contiguous tensor, which a reference may ask for but not depend on."""
        strides = tuple(int(np.prod(self.shape[k + 1 :], dtype=np.int64)) for k in range(self.ndim))
        return strides if dim is None else strides[dim]

    def is_floating_point(self) -> bool:
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        return False

    def get_device(self) -> int:
        return -1

    def requires_grad_(self, *_: Any) -> "TracedTensor":
        return self

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a tensor without axes")
        return self.shape[0]

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        return self._call("__getitem__", key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._call("__setitem__", key, value)

    def _call(self, name: str, *args: Any, **options: Any) -> Any:
        from .dispatch import call_row

        return call_row(name, (self, *args), options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # a protocol that others ask for
            raise AttributeError(name)
        return lambda *args, **options: self._call(name, *args, **options)

    @classmethod
    def __torch_function__(cls, function: Any, _: Any, args: Tuple[Any, ...] = (), options: Any = None) -> Any:
        from .dispatch import dispatched

        return dispatched(function, args, options or {})

    def __repr__(self) -> str:
        return f"TracedTensor({list(self.shape)}, {self.dtype})"

    def __format__(self, _: str) -> str:
        return repr(self)

    __hash__ = object.__hash__


def _refusal(what: str) -> Any:
    def refused(self: TracedTensor, *_: Any, **__: Any) -> Any:
        raise NotTraceable(f"{what}: its value is not known while tracing; write torch.where in place of a branch")

    return refused


for _name, _what in {
    "__bool__": "a branch or a loop depends on data", "__float__": "float(tensor)", "__int__": "int(tensor)",
    "__index__": "a tensor is used as a number", "item": "tensor.item()", "tolist": "tensor.tolist()", "numpy": "tensor.numpy()",
    "nonzero": "tensor.nonzero(), whose shape depends on data", "__array__": "NumPy was called on a tensor",
}.items():  # fmt: skip
    setattr(TracedTensor, _name, _refusal(_what))


def _method(name: str) -> Any:
    return lambda self, *args: self._call(name, *args)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
    for _side in ("", "r", "i"):
        setattr(TracedTensor, f"__{_side}{_name}__", _method(f"__{_side}{_name}__"))
for _name in ("neg", "pos", "abs", "invert", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(TracedTensor, f"__{_name}__", _method(f"__{_name}__"))
