"""patch_torch: an existing program computes with assay's kernels."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch

from ._cce import linear_cross_entropy
from ._ctc import ctc_loss
from ._svd import svd


def _is_ours(tensor: Any, *dtypes: torch.dtype) -> bool:
    if not isinstance(tensor, torch.Tensor) or tensor.device.type != "cpu" or tensor.dtype not in dtypes:
        return False
    return tensor.layout is torch.strided and not tensor.is_nested and not _is_within_functorch(tensor)


def _is_within_functorch(tensor: torch.Tensor) -> bool:
    """Of PyTorch 1, whose functorch refuses every torch.autograd.Function."""
    is_possible = not hasattr(torch, "func") and "functorch" in sys.modules
    return is_possible and "FuncTorch" in str(torch._C._dispatch_keys(tensor))


def _ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, *rest: Any, **options: Any) -> Any:
    if not _is_ours(log_probs, torch.float32):
        return NotImplemented
    return ctc_loss(log_probs, targets, input_lengths, target_lengths, *rest, **options)


def _linear_cross_entropy(
    input: Any, linear_weight: Any, target: Any, *, linear_bias: Any = None, weight: Any = None,
    ignore_index: Optional[int] = None, options: Any = None, **ours: Any,
) -> Any:  # fmt: skip
    plain = weight is None and linear_weight.dim() == 2 and target.shape == input.shape[:-1]
    if not (plain and _is_ours(input, torch.float32) and _is_ours(target, torch.int64)):
        return NotImplemented
    return linear_cross_entropy(
        input, linear_weight, target, linear_bias, ignore_index=-100 if ignore_index is None else ignore_index, **ours
    )


def _svd(A: Any, full_matrices: bool = True, *, driver: Any = None, out: Any = None) -> Any:
    is_thin = isinstance(A, torch.Tensor) and A.dim() >= 2 and (not full_matrices or A.shape[-1] == A.shape[-2])
    if driver is not None or out is not None or not is_thin or not _is_ours(A, torch.float32, torch.float64):
        return NotImplemented
    return svd(A)


_REPLACED: Tuple[Tuple[Any, str, str, Callable[..., Any]], ...] = (
    (torch.nn.functional, "torch.nn.functional", "ctc_loss", _ctc_loss),
    (torch.nn.functional, "torch.nn.functional", "linear_cross_entropy", _linear_cross_entropy),
    (torch.linalg, "torch.linalg", "svd", _svd),
)


class Patch:
    """The changes that patch_torch made; str() lists them. As a context manager, it undoes them at the end."""

    def __init__(self) -> None:
        self._originals: Dict[str, Tuple[Any, str, Callable[..., Any]]] = {}
        self._missing: List[str] = []
        self.calls: Dict[str, List[int]] = {}  # by name: calls that assay computed, calls left to PyTorch
        for module, path, name, ours in _REPLACED:
            full = f"{path}.{name}"
            if not hasattr(module, name):
                self._missing.append(full)
                continue
            original = getattr(module, name)
            if hasattr(original, "assay_original"):
                raise RuntimeError(f"{full} is replaced already: expected undo() of the earlier patch_torch first")
            self._originals[full] = (module, name, original)
            self.calls[full] = [0, 0]
            setattr(module, name, self._replacement(original, ours, self.calls[full]))

    @staticmethod
    def _replacement(original: Callable[..., Any], ours: Callable[..., Any], calls: List[int]) -> Callable[..., Any]:
        @functools.wraps(original)
        def replacement(*arguments: Any, **options: Any) -> Any:
            result = ours(*arguments, **options)
            calls[result is NotImplemented] += 1
            return original(*arguments, **options) if result is NotImplemented else result

        replacement.assay_original = original  # type: ignore[attr-defined]
        return replacement

    def undo(self) -> None:
        """PyTorch's own functions are back. Harmless when called twice."""
        for module, name, original in self._originals.values():
            setattr(module, name, original)
        self._originals = {}

    def __enter__(self) -> "Patch":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.undo()

    def __str__(self) -> str:
        state = "replaced" if self._originals else "was replaced, and is PyTorch's own again"
        lines = [f"{name}: {state}; {ours} calls by assay, {rest} by PyTorch" for name, (ours, rest) in self.calls.items()]
        lines += [f"{name}: not in PyTorch {torch.__version__}" for name in self._missing]
        return "\n".join(lines)


def patch_torch() -> Patch:
    """Replaces torch.nn.functional.ctc_loss (and so torch.nn.CTCLoss), torch.nn.functional.linear_cross_entropy where
    PyTorch has it, and torch.linalg.svd.

    A call that assay's kernels do not compute goes to PyTorch's own function: tensors that are not on the CPU, types other
    than float32 (of the SVD also float64), full factors of a matrix that is not square, class weights. A function that a
    program imported by name before (`from torch.linalg import svd`) stays PyTorch's.

    >>> import torch
    >>> with patch_torch() as patch:
    ...     U, S, Vh = torch.linalg.svd(torch.eye(2))
    >>> patch.calls["torch.linalg.svd"]  # by assay, by PyTorch
    [1, 0]
    """
    return Patch()
