"""What 06-edge-cases asks of the reference and of PyTorch, where that is installed, and how it shows the answers."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from typing import List, Optional, Tuple

import numpy as np

import assay

Answer = Tuple[str, str]  # loss, dL/dlogits of the last frame


@dataclass(frozen=True)
class Case:
    """One row of a batch: logits [T, C], labels [S], how many of the T frames count (all, unless said otherwise)."""

    name: str
    logits: np.ndarray
    labels: List[int]
    frames: Optional[int] = None
    zero_infinity: bool = False

    @property
    def input_length(self) -> int:
        return len(self.logits) if self.frames is None else self.frames


def _shown(loss: float, gradient: np.ndarray) -> Answer:
    elements = " ".join(f"{x:g}" for x in np.round(gradient, 3) + 0.0)  # no -0
    return f"{loss + 0.0:.6g}", f"[{elements}]"


def due(case: Case) -> Answer:
    """What the reference says; it refuses what has no answer."""
    try:
        truth = assay.reference.ctc(
            logits=case.logits[:, None, :],
            targets=np.array([case.labels], np.int64).reshape(1, -1),
            input_lengths=[case.input_length],
            target_lengths=[len(case.labels)],
            zero_infinity=case.zero_infinity,
        )
    except ValueError:
        return "refused", "refused"
    return _shown(float(truth.loss_float64[0]), truth.gradient_float64[-1, 0])


def torch_version() -> Optional[str]:
    """Of PyTorch, or None where it is not installed."""
    if importlib.util.find_spec("torch") is None:
        return None
    return str(importlib.import_module("torch").__version__)


def pytorch(case: Case) -> Answer:
    """What torch.nn.functional.ctc_loss says in float64, through log_softmax."""
    if torch_version() is None:
        return "not installed", "not installed"
    torch = importlib.import_module("torch")
    logits = torch.tensor(case.logits[:, None, :], dtype=torch.float64, requires_grad=True)
    try:
        loss = torch.nn.functional.ctc_loss(
            logits.log_softmax(2),
            torch.tensor([case.labels], dtype=torch.int64),
            torch.tensor([case.input_length]),
            torch.tensor([len(case.labels)]),
            reduction="none",
            zero_infinity=case.zero_infinity,
        )
        loss.sum().backward()
    except RuntimeError:
        return "refused", "refused"
    return _shown(float(loss[0]), logits.grad[-1, 0].numpy())
