"""Faults that the gate found in released libraries: each function with a reference and the inputs that show the fault.

Libraries are imported when their function is judged; nothing of them is here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from . import gallery
from ._pipe import Unsupported

_ANY = ("cpu", "cuda")
_CAP = 30.0


@dataclass(frozen=True)
class Fault:
    """A function of a library under judgement. `operation` is a name, an operation, or a reference in PyTorch with `inputs`."""

    title: str
    library: str  # the module whose version is shown
    what: str
    operation: Any
    kernel: Callable[..., Any]
    inputs: Dict[str, str] = field(default_factory=dict)
    declared: Dict[str, Any] = field(default_factory=dict)
    given: Optional[Callable[[], Dict[str, np.ndarray]]] = None  # a batch that shows it
    is_gradient: bool = False
    devices: Tuple[str, ...] = ("cuda",)
    filter: str = "^(outputs|gradient)$"
    reach: str = "none"
    version: Optional[Callable[[], str]] = None  # of code that is no package


# The references: plain PyTorch, except where its own formula loses what is due.


def cross_entropy(logits: Any, target: Any) -> Any:
    import torch

    return torch.nn.functional.cross_entropy(logits, target, reduction="sum")


def capped_cross_entropy(logits: Any, target: Any) -> Any:
    import torch

    return torch.nn.functional.cross_entropy(_CAP * torch.tanh(logits / _CAP), target, reduction="sum")


def group_norm(x: Any, weight: Any, bias: Any) -> Any:
    """Of two groups, the mean subtracted first."""
    rows = x.reshape(x.shape[0], 2, -1)
    centred = rows - rows.mean(-1, keepdim=True)
    normed = centred / (centred.square().mean(-1, keepdim=True) + 2.0**-17).sqrt()
    return normed.reshape(x.shape) * weight[:, None] + bias[:, None]


def binary_cross_entropy(x: Any, target: Any) -> Any:
    """In the form whose terms do not cancel where x and the target are far below 0 and 0."""
    import torch

    return torch.clamp(x, min=0) - x * target + torch.log1p(torch.exp(-x.abs()))


def torch_binary_cross_entropy(x: Any, target: Any) -> Any:
    import torch

    return torch.nn.functional.binary_cross_entropy_with_logits(x, target, reduction="none")


def softmax(x: Any) -> Any:
    import torch

    return torch.softmax(x, -1)


def cumulative_sum(x: Any) -> Any:
    import torch

    return torch.cumsum(x, -1)


def jensen_shannon(x: Any, y: Any) -> Any:
    """Of log-probabilities, a mean over the rows."""
    import torch

    middle = torch.logaddexp(x, y) - float(np.log(2))
    return (0.5 * (torch.exp(y) * (y - middle) + torch.exp(x) * (x - middle))).sum() / x.shape[0]


def poly_norm(x: Any, weight: Any, bias: Any) -> Any:
    def normed(u: Any) -> Any:
        return u / (u.square().mean(-1, keepdim=True) + 2.0**-20).sqrt()

    return weight[0] * normed(x**3) + weight[1] * normed(x**2) + weight[2] * normed(x) + bias


# The functions of libraries.


def liger_cross_entropy(logits: Any, target: Any) -> Any:
    from liger_kernel.transformers.functional import liger_cross_entropy as loss

    return loss(logits, target, reduction="sum")


def liger_capped(logits: Any, target: Any) -> Any:
    from liger_kernel.transformers.functional import liger_cross_entropy as loss

    return loss(logits.clone(), target, reduction="sum", softcap=_CAP)


def fla_capped(logits: Any, target: Any) -> Any:
    """Its logits are products with a weight: here the unit matrix."""
    import torch
    from fla.modules.fused_linear_cross_entropy import fused_linear_cross_entropy_loss

    weight = torch.eye(logits.shape[1], dtype=logits.dtype, device=logits.device)
    return fused_linear_cross_entropy_loss(logits, target, weight, logit_softcapping=_CAP, reduction="sum")


def unsloth_capped(logits: Any, target: Any) -> Any:
    from unsloth.kernels.cross_entropy_loss import fast_cross_entropy_loss

    return fast_cross_entropy_loss(logits[None].clone(), target[None], logit_softcapping=_CAP) * logits.shape[0]


def torch_group_norm(x: Any, weight: Any, bias: Any) -> Any:
    import torch

    return torch.nn.functional.group_norm(x, 2, weight, bias, 2.0**-17)


def liger_group_norm(x: Any, weight: Any, bias: Any) -> Any:
    from liger_kernel.transformers.functional import liger_group_norm as norm

    return norm(x, weight, bias, 4, 2, 2.0**-17)


def liger_softmax(x: Any) -> Any:
    from liger_kernel.transformers.functional import liger_softmax as softmax

    return softmax(x)


def liger_jensen_shannon(x: Any, y: Any) -> Any:
    from liger_kernel.transformers.functional import liger_jsd

    return liger_jsd(x, y)


def liger_poly_norm(x: Any, weight: Any, bias: Any) -> Any:
    from liger_kernel.transformers.functional import liger_poly_norm as norm

    return norm(x, weight, bias, 2.0**-20, False)


def cudnn_ctc(p: Any) -> Any:
    """ctc_loss as cuDNN takes it: blank 0, all rows of T frames, whole numbers of 32 bits on the CPU."""
    import torch

    is_whole = (p.input_lengths == p.logits.shape[0]).all() and p.target_lengths.all()
    if p.blank != 0 or p.layout != "concatenated" or not is_whole:
        raise Unsupported("what cuDNN does not take")
    logits = torch.tensor(p.logits, device="cuda", requires_grad=True)
    targets, inputs, labels = (
        torch.from_numpy(np.asarray(one, np.int32)) for one in (p.targets, p.input_lengths, p.target_lengths)
    )
    loss = torch.nn.functional.ctc_loss(logits.log_softmax(-1), targets, inputs, labels, blank=0, reduction="none")
    upstream = torch.ones_like(loss) if p.upstream is None else torch.from_numpy(p.upstream).to(loss)
    (gradient,) = torch.autograd.grad(loss, logits, upstream)
    return loss.detach().cpu(), gradient.cpu()


def cusolver_svd(driver: str) -> Callable[[Any], Any]:
    def svd(p: Any) -> Any:
        import torch

        factors = torch.linalg.svd(torch.from_numpy(p.A).cuda(), full_matrices=False, driver=driver)
        return tuple(one.cpu() for one in factors)

    return svd


def jax_standardize(p: Any) -> Any:
    """The gradients of layer norm by standardize."""
    import jax

    def normed(x: Any, weight: Any, bias: Any) -> Any:
        return jax.nn.standardize(x, axis=-1, epsilon=2.0**-17) * weight + bias

    _, pull = jax.vjp(normed, p.x, p.weight, p.bias)
    return tuple(np.asarray(one) for one in pull(jax.numpy.asarray(p.upstream)))


def _low_logits() -> Dict[str, np.ndarray]:
    return {"logits": np.array([[-999, -999, -999, -999, -1000]], np.float32), "target": np.array([4])}


def _offset(mean: float, dtype: Any = np.float32) -> Callable[[], Dict[str, np.ndarray]]:
    def given() -> Dict[str, np.ndarray]:
        x = mean + np.random.default_rng(1).normal(size=(2, 4, 64))
        x = (np.round(x * 16) / 16).astype(np.float32)  # numbers of 8 bits, as bfloat16 has
        return {"x": x, "weight": np.ones(4, np.float32), "bias": np.zeros(4, np.float32)}

    return given


_LOGITS = {"logits": "N, V", "target": "N of index V"}
_NORM = {"x": "N, 4, D", "weight": "4", "bias": "4"}
_ON_GPU = {"empty": False, "largest": 1e4}
_TILES = {**_ON_GPU, "contiguous": True}
_CTC = {"two_step": True, "layouts": ("concatenated",), "reductions": ("none",), "upstream": True, "empty": False,
        "checks_arguments": False}  # fmt: skip
_NO_LANES = "logits of -cap are added for the lanes that pad the row: 2.079 = ln 8 where ln 5 is due"

FAULTS = (
    Fault("cross_entropy, its gradient", "liger_kernel", "logits whose last stride is not 1: the gradient is the logits",
          cross_entropy, liger_cross_entropy, _LOGITS, {**_ON_GPU, "same_bits": False}, is_gradient=True),
    *(Fault(f"{title} with soft cap", library, _NO_LANES, capped_cross_entropy, kernel, _LOGITS, _TILES, _low_logits)
      for title, library, kernel in (("cross_entropy", "liger_kernel", liger_capped),
                                     ("fused_linear_cross_entropy_loss", "fla", fla_capped),
                                     ("fast_cross_entropy_loss", "unsloth", unsloth_capped))),
    Fault("group_norm", "liger_kernel", "the variance is E[x^2] - E[x]^2, which cancels at a mean of 3000",
          group_norm, liger_group_norm, _NORM, _TILES, _offset(3000)),
    Fault("jsd", "liger_kernel", "NaN where both log-probabilities are below -104", jensen_shannon, liger_jensen_shannon,
          {"x": "N, V", "y": "N, V"}, {**_TILES, "largest": 128.0},
          lambda: {"x": np.array([[-0.5, -110]], np.float32), "y": np.array([[-0.25, -110]], np.float32)}),
    Fault("poly_norm, its gradient", "liger_kernel", "a bias of shape [1] raises in the backward pass", poly_norm,
          liger_poly_norm, {"x": "N, D", "weight": "3", "bias": "1"}, _TILES, is_gradient=True),
    Fault("binary_cross_entropy_with_logits", "torch", "0 at x = -16 and target 0, where 1.1e-7 is due", binary_cross_entropy,
          torch_binary_cross_entropy, {"x": "N", "target": "N of unit"}, _ON_GPU,
          lambda: {"x": np.array([-16, -12], np.float32), "target": np.zeros(2, np.float32)}, devices=_ANY),
    Fault("group_norm in bfloat16", "torch", "statistics in bfloat16: off by 0.063 at a mean of 16", group_norm,
          torch_group_norm, _NORM, {**_ON_GPU, "dtype": "bfloat16"}, _offset(16)),
    Fault("cumsum in bfloat16", "torch", "the sum is kept in bfloat16", cumulative_sum, cumulative_sum, {"x": "N, D"},
          {**_ON_GPU, "dtype": "bfloat16"}, lambda: {"x": np.ones((1, 1024), np.float32)}),
    Fault("ctc_loss by cuDNN", "torch", "an impossible alignment has the loss 0 and a gradient", "ctc", cudnn_ctc, {}, _CTC,
          filter="^impossible$"),
    *(Fault(f"linalg.svd by {driver}", "torch", "does not converge for elements of 1e38", "svd", cusolver_svd(driver),
            filter="^values$") for driver in ("gesvd", "gesvda")),
    Fault("nn.standardize, its gradient", "jax", "the variance is E[x^2] - E[x]^2", gallery.layer_norm, jax_standardize,
          {}, {"empty": False, "subnormals": False}, is_gradient=True, devices=_ANY),
)  # fmt: skip

# After these, no call on the GPU succeeds in the same process.
LAST_FAULTS = (
    Fault("softmax", "liger_kernel", "offsets of 32 bits: an illegal access in tensors of more than 2^31 elements", softmax,
          liger_softmax, {"x": "N, D"}, _TILES, filter="^far-rows$", reach="full"),
)  # fmt: skip
