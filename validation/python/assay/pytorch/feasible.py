"""Whether a problem at the sizes that its file states can be run here: counted without running it, on the device "meta", or
where PyTorch (before 2.1) has no such count, while it runs once in a process of its own, which may be ended."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .._called import KernelEnded
from .._own_process import arrays_of
from .trace import _outputs

_MOST_SECONDS = 60.0
_MOST_OF_MEMORY = 0.7  # of what is free
_SPEED = {"cpu": (2e10, 3e8)}  # multiplications and other results a second in float64, with a margin
_SPEED_OF_GPUS = (2e12, 2e10)


class Weight(NamedTuple):
    """How large a problem is."""

    held: int  # elements of inputs and parameters
    largest: int  # of the largest intermediate value
    made: int  # elements of all intermediate values
    products: float  # multiplications of matrices and convolutions
    results: int  # elements of the results

    @property
    def terms(self) -> float:
        return self.products + self.made + self.results


class _Counted(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call,unused-ignore]
        self.largest = self.made = 0
        self.products = 0.0  # of matrices and convolutions

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        for one in _outputs(result) if isinstance(result, (torch.Tensor, tuple, list)) else []:
            size = one.numel() if isinstance(one, torch.Tensor) else 0
            self.largest, self.made = max(self.largest, size), self.made + size
        self.products += _products(function.__name__, [one for one in args if isinstance(one, torch.Tensor)], result)
        return result


def _products(name: str, given: List[torch.Tensor], result: Any) -> float:
    """The multiplications of a product of matrices or a convolution; 0 of other operators."""
    name = name.split(".")[0]
    if name in ("mm", "bmm", "addmm", "baddbmm", "mv", "addmv"):
        return float(result.numel() * given[-1].shape[-2 if given[-1].dim() > 1 else 0])
    if name in ("convolution", "_convolution"):  # a transposed one writes each element of its input many times
        return float(max(result.numel(), given[0].numel()) * given[1][0].numel())
    return 0.0


def weight_of(operation: Any) -> Optional[Weight]:
    """None where neither way can say it."""
    try:
        from torch.utils.flop_counter import FlopCounterMode
    except ImportError:
        return _weight_as_it_runs(operation)
    try:
        with torch.device("meta"):
            loaded = operation.file.load({}, is_narrow=False)
            given, model = loaded.given(), loaded.model()
            tensors = [one for one in given if isinstance(one, torch.Tensor)] + list(model.parameters())
            with torch.no_grad(), FlopCounterMode(display=False) as flops, _Counted() as counted:
                results = [one for one in _outputs(model(*given)) if isinstance(one, torch.Tensor)]
    except Exception:  # as of what a model asks of numbers, which are not there
        return None
    held = sum(one.numel() for one in tensors)
    return Weight(held, counted.largest, counted.made, flops.get_total_flops() / 2, sum(one.numel() for one in results))


def _weight_as_it_runs(operation: Any) -> Optional[Weight]:
    def counts() -> List[np.ndarray]:
        loaded = operation.file.load({}, is_narrow=False)
        given, model = loaded.given(), loaded.model()
        held = sum(one.numel() for one in [*given, *model.parameters()] if isinstance(one, torch.Tensor))
        with torch.no_grad(), _Counted() as counted:
            results = [one for one in _outputs(model(*given)) if isinstance(one, torch.Tensor)]
        size = sum(one.numel() for one in results)
        return [np.array([held, counted.largest, counted.made, counted.products, size], np.float64)]

    try:
        held, largest, made, products, size = arrays_of(counts)[0]
    except KernelEnded:  # it took too long, or more memory than there is
        return None
    return Weight(int(held), int(largest), int(made), float(products), int(size))


def _free_bytes(device: torch.device) -> int:
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return 2**32


def why_not(weight: Optional[Weight], device: torch.device) -> str:
    """Why the problem is not run here at its sizes; nothing where it is."""
    if weight is None:
        return "PyTorch cannot say how much it takes, and a run of Model did not end"
    needed = 12 * weight.held + 8 * (3 * weight.largest + 2 * weight.results)
    if needed > _MOST_OF_MEMORY * _free_bytes(device):
        free = f"{_MOST_OF_MEMORY:.0%} of the memory that is free on {device}"
        return f"it takes some {needed / 1e9:.0f} GB in float64, more than {free}"
    products, others = _SPEED.get(device.type, _SPEED_OF_GPUS)
    seconds = weight.products / products + weight.made / others
    if seconds > _MOST_SECONDS:
        return f"it takes some {seconds:.0f} s in float64 on {device}, more than {_MOST_SECONDS:.0f} s"
    return ""
