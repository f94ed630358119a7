"""The production kernels for PyTorch, on tensors of CPUs, NVIDIA and Apple GPUs, with autograd and torch.compile.

    import assay.torch
    loss = assay.torch.ctc_loss(logits, targets, input_lengths, target_lengths, logits=True)

Tensors are not copied where they are row-major. torch.set_num_threads says how many threads a call may use. A tensor on
another device is refused with a message that says what to do. docs/python-kernels.md of the project says more.
"""

from __future__ import annotations

from .._own_kernels import judged_as
from ..numpy import Svd
from . import _judged
from ._cce import linear_cross_entropy
from ._ctc import CTCLoss, ctc_loss
from ._patch import Patch, patch_torch
from ._svd import randomized_svd, svd

__all__ = ["CTCLoss", "Patch", "Svd", "ctc_loss", "linear_cross_entropy", "patch_torch", "randomized_svd", "svd"]

for _operation, _kernel in _judged.kernels(ctc_loss, linear_cross_entropy, svd).items():
    # The gradient of cross-entropy is of a log-sum-exp that the forward pass has stored.
    _declared = {"rounded_lse": True} if _operation == "cce" else {}
    judged_as(_operation, {"ctc": ctc_loss, "cce": linear_cross_entropy, "svd": svd}[_operation], _kernel, **_declared)
