"""A kernel's tensors on a GPU: made there as the gate's arrays lie in memory, and looked at after the call."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

import torch

from .._own_memory import SharedMemory
from .._pipe import ReturnedWrong

_GUARD = 64  # elements on both sides of an input


class _Given(NamedTuple):
    name: str
    base: torch.Tensor  # on the device: the input's memory between guards
    content: torch.Tensor  # what it held before the call
    view: torch.Tensor  # the input


def device_called(name: Any) -> torch.device:
    """Raises ValueError unless PyTorch has such a device here."""
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
        return torch.empty(0, device=device).device
    except (RuntimeError, AssertionError, TypeError) as error:
        known = "" if str(name) not in ("gpu", "GPU") else "; did you mean 'cuda'?"
        raise ValueError(f"device = {name!r}: expected a device that PyTorch has here, such as 'cpu' or 'cuda'{known}: "
                         f"{str(error).splitlines()[0]}") from None


def bytes_of(tensor: torch.Tensor) -> torch.Tensor:
    flat = tensor.contiguous().as_strided((tensor.numel(),), (1,))  # reshape leaves one element the stride 0, which view refuses
    return flat.view(torch.uint8).cpu() if tensor.numel() else torch.empty(0, dtype=torch.uint8)


def memory_of(tensor: torch.Tensor) -> int:
    """The address of the memory that the tensor is a view of."""
    storage: Any = getattr(tensor, "untyped_storage", tensor.storage)()  # before PyTorch 2 the latter
    address: int = storage.data_ptr()
    return address


class DeviceMemory:
    """The tensors of one kernel's calls on a device. `_own_memory.Memory` does the same for arrays of the CPU."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self._given: List[_Given] = []
        self._before: List[Tuple[str, torch.Tensor, torch.Tensor]] = []  # results of the call before, with their bytes

    def give(self, tensors: Dict[str, torch.Tensor]) -> Dict[str, torch.Tensor]:
        """The tensors on the device, with the same strides and the same distance from a multiple of 64 bytes. Raises ReturnedWrong
        where a launch failed before."""
        try:
            self._given = [self._on_device(name, one) for name, one in tensors.items()]
        except RuntimeError as error:
            raise self._failed(error) from error
        return {one.name: one.view for one in self._given}

    def _on_device(self, name: str, tensor: torch.Tensor) -> _Given:
        spanned = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride())) if tensor.numel() else 0
        memory = torch.as_strided(tensor, (spanned,), (1,))
        first = _GUARD + tensor.data_ptr() % 64 // tensor.element_size()
        whole = torch.full((first + spanned + _GUARD,), float("nan") if tensor.is_floating_point() else 0, dtype=tensor.dtype)
        whole[first : first + spanned] = memory
        base = whole.to(self.device, copy=True)
        return _Given(name, base, bytes_of(whole), torch.as_strided(base, tensor.shape, tensor.stride(), first))

    def poison(self, results: Sequence[Tuple[Tuple[int, ...], torch.dtype]]) -> None:
        """Leaves NaN in the memory that the kernel's results will probably get, so that what it does not write shows."""
        poisoned = [torch.full(shape, float("nan"), dtype=dtype, device=self.device) for shape, dtype in results]
        del poisoned

    def wait(self) -> None:
        """Waits for the kernel. Raises ReturnedWrong where a launch failed, after which no call on the device succeeds."""
        synchronize = getattr(getattr(torch, self.device.type, None), "synchronize", None)
        try:
            if synchronize is not None:
                synchronize()
        except RuntimeError as error:
            raise self._failed(error) from error

    def _failed(self, error: RuntimeError) -> ReturnedWrong:
        return ReturnedWrong(f"a launch on {self.device} failed: {str(error).splitlines()[0]}; what is called after it in this "
                             "process fails as well")  # fmt: skip

    def require_inputs(self) -> None:
        """Raises SharedMemory for an input that the call has changed, or around which it has written."""
        for one in self._given:
            if not torch.equal(bytes_of(one.base), one.content):
                where = torch.nonzero(bytes_of(one.base) != one.content)[0].item() // one.base.element_size()
                spanned = range(one.view.storage_offset(), one.base.numel() - _GUARD)
                what = f"changed its input {one.name}" if where in spanned else f"wrote outside of its input {one.name}"
                raise SharedMemory(f"the kernel {what}: expected its memory as before; copy it before writing")

    def take(self, results: Sequence[Any], what: str) -> List[Any]:
        """The results on the CPU; `what` is "output" or "gradient". Raises ReturnedWrong for one that is elsewhere than the inputs,
        SharedMemory for a view of an input, and for a result of the call before that has changed."""
        named = [(f"{what} {k}", one) for k, one in enumerate(results) if isinstance(one, torch.Tensor)]
        for name, one in named:
            if one.device != self.device:
                raise ReturnedWrong(f"{name} is on {one.device}: expected {self.device}, where the inputs are")
            for given in self._given:
                if one.numel() and memory_of(one) == memory_of(given.base):
                    raise SharedMemory(f"{name} is a view of the input {given.name}: expected memory of its own; return a copy")
        before, self._before = self._before, []
        for name, one, content in before:
            if not torch.equal(bytes_of(one), content):
                raise SharedMemory(f"{name} of the call before was overwritten by this call: expected a new tensor for each call")
        self._before = [(name, one.detach(), bytes_of(one.detach()).clone()) for name, one in named]
        return [one.detach().cpu() if isinstance(one, torch.Tensor) else one for one in results]
