"""Linear cross-entropy in PyTorch's own operations, for the derivatives that the kernels do not compute: in forward mode, and
of gradients. The logits are in memory here, as in PyTorch's own function.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import torch


def loss(
    hidden: torch.Tensor,
    weight: torch.Tensor,
    targets: torch.Tensor,
    bias: Optional[torch.Tensor],
    ignore_index: int,
    label_smoothing: float,
    logit_softcap: float,
    z_loss: float,
    reduction: str,
) -> torch.Tensor:
    """As assay.torch.linear_cross_entropy, of hidden [N, H]."""
    targets = targets.to(hidden.device)
    counts = targets != ignore_index
    with torch.autocast(hidden.device.type, enabled=False):
        logits = hidden.float().where(counts.unsqueeze(1), hidden.new_zeros(()).float()) @ weight.float().T
    if bias is not None:
        logits = logits + bias.float()
    if logit_softcap > 0:
        logits = logit_softcap * torch.tanh(logits / logit_softcap)
    log_sum_exp = logits.logsumexp(1)
    due = logits.gather(1, targets.where(counts, targets.new_zeros(())).unsqueeze(1)).squeeze(1)
    if label_smoothing > 0:
        due = (1 - label_smoothing) * due + label_smoothing * logits.mean(1)
    losses = log_sum_exp - due + (z_loss * log_sum_exp.square() if z_loss > 0 else 0)
    losses = losses.where(counts, losses.new_zeros(()))
    if reduction == "none":
        return losses
    return losses.sum() / counts.sum().clamp(min=1) if reduction == "mean" else losses.sum()


def gradients(upstream: torch.Tensor, inputs: Sequence[Any], wanted: Sequence[bool]) -> Tuple[torch.Tensor, ...]:
    """dhidden, dweight and dbias; of size 0 where one is not wanted. As functions of upstream and inputs they have derivatives."""
    hidden, weight, targets, bias, *options = inputs
    arrays = [hidden, weight, bias]
    places = [i for i, want in enumerate(wanted) if want]

    def of_wanted(*given: torch.Tensor) -> torch.Tensor:
        h, w, b = (given[places.index(i)] if i in places else one for i, one in enumerate(arrays))
        return loss(h, w, targets, b, *options)

    pullback = torch.func.vjp(of_wanted, *(arrays[i] for i in places))[1]
    computed = dict(zip(places, pullback(upstream)))
    return tuple(computed.get(i, hidden.new_empty(0)) for i in range(3))
