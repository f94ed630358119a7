"""What a kernel of PyTorch may not do, beside what is asked of arrays: return no plain tensor, or change its own parameters."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional

import torch

from .._arrays import require_plain
from .._own_memory import SharedMemory
from .._pipe import ReturnedWrong
from .device import bytes_of
from .trace import _outputs


def plain_outputs(result: Any) -> List[Any]:
    """The tensors of a result, as _outputs. Raises ReturnedWrong for one whose methods may be another's."""
    outputs = _outputs(result)
    for k, one in enumerate(outputs):
        try:
            require_plain(one)
        except TypeError as error:
            raise ReturnedWrong(f"result {k} is {error}") from None
    return outputs


def _buffers(kernel: torch.nn.Module, like: Optional[torch.nn.Module]) -> Dict[str, torch.Tensor]:
    """Copies of the buffers of a kernel in eval mode that the reference has too: in training mode some are to change."""
    names = () if like is None or kernel.training else dict(like.named_buffers())
    return {name: one.detach().clone() for name, one in kernel.named_buffers() if name in names}


def _require_equal(after: Dict[str, Any], before: Dict[str, torch.Tensor]) -> None:
    for name, one in before.items():
        if name not in after or not torch.equal(bytes_of(after[name].detach()), bytes_of(one)):
            raise SharedMemory(f"the kernel changed its own {name}: expected its values as before; compute with a copy")


@contextmanager
def unchanged(kernel: Any, reference: Optional[torch.nn.Module], parameters: Callable[[], Dict[str, torch.nn.Parameter]],
              values: Dict[str, torch.Tensor]) -> Iterator[None]:  # fmt: skip
    """Raises SharedMemory where calls leave a module with other values of its parameters than those that they were made with, or
    of the reference's buffers: the next call would compute something else."""
    if not isinstance(kernel, torch.nn.Module):
        yield
        return
    before = _buffers(kernel, reference)
    yield
    _require_equal(_buffers(kernel, reference), before)
    own = parameters()
    _require_equal(own, {name: values[name] for name in own})
