"""The Model of a problem at fixed sizes as an operation, for the exact results of a cut and their bounds."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

import numpy as np
import torch

from .calls import Calling
from .cuts import Values
from .reference import TorchOperation, parameter_inputs
from .trace import source_of


class CutOperation(TorchOperation):
    """The model on these values. Its graph has no gradients."""

    largest_fixed = 2**31

    def __init__(self, model: torch.nn.Module, inputs: Sequence[Any], values: Values) -> None:
        self.reference, self._inputs = model, inputs
        for name, buffer in model.named_buffers():
            buffer.copy_(values[f"buffer {name}"])
        self._function, self._dtype, self._dtypes, self.calling = source_of(model), torch.float32, {}, Calling()
        texts, given = {}, []
        for k, one in enumerate(inputs):
            if k in values:
                kind = {"flag": " of flag", "index": f" of index {one.below}"}.get(one.kind, "")
                texts[f"input{k}"] = ", ".join(str(size) for size in values[k].shape) + kind
                given.append(values[k])
        _, self.parameters = parameter_inputs(model, list(texts))
        for name, of in self.parameters.items():
            texts[name] = ", ".join(str(size) for size in values[of].shape)
            given.append(values[of])
        self.arrays = [one.detach().cpu().double().numpy().astype(np.float64) for one in given]
        self._declared_inputs: Dict[str, str] = dict(texts)
        self._declare(self._function, "Model", texts, "", "", None)
        self.differentiable, self._refusals = [], {}

    def arguments(self, tensors: Dict[str, Any]) -> List[Any]:
        return [tensors.get(f"input{k}", one.value) for k, one in enumerate(self._inputs)]

    def _takes_names(self) -> bool:
        return False
