"""A problem in KernelBench's form at any sizes: its values, and its Model run on them in float64."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import torch

from .benchmark_sizes import free_extents
from .cuts import Values
from .statistics import with_drawn_statistics
from .trace import _outputs, with_values


class StatedProblem:
    """The values at the sizes of the file. Those of small sizes, by which axes are tried, are the file's own draws too."""

    def __init__(self, operation: Any, device: torch.device, arithmetic: Dict[str, Any]) -> None:
        self._operation, self.device, self.arithmetic = operation, device, arithmetic
        self.is_narrow = operation.file.narrowing is not None
        self.dtype = getattr(torch, arithmetic.get("dtype", "float32"))
        self.sizes: Dict[str, int] = dict(operation.file.sizes)
        loaded = operation.file.load(self.sizes, is_narrow=False)
        self.inputs = loaded.inputs()
        model = self.model(self.sizes)
        self.parameters = [name for name, _ in model.named_parameters()]
        self.values = {key: self._rounded(one) for key, one in self._values(self.inputs, model).items()}
        self.usual = {
            **operation.base,
            **{name: max(size, 4) for name, size in operation.usual_extents().items() if name in operation.base},
        }
        self.free = {} if self.is_narrow else self._with_buffers(free_extents(operation.file, operation.base))

    def _rounded(self, one: torch.Tensor) -> torch.Tensor:
        """As a kernel of this type gets it."""
        one = one.detach()
        return one.to(device=self.device, dtype=self.dtype) if one.is_floating_point() else one.to(self.device)

    def model(self, sizes: Dict[str, int], kernel: Any = None) -> torch.nn.Module:
        model = self._operation.file.load(sizes, is_narrow=False).model(kernel)
        model.train(self._operation.is_training if kernel is None else self._operation.trains_kernels)
        return with_drawn_statistics(model)

    @staticmethod
    def _values(inputs: List[Any], model: torch.nn.Module) -> Values:
        values: Values = {k: one.value for k, one in enumerate(inputs) if isinstance(one.value, torch.Tensor)}
        values.update(model.named_parameters())
        values.update({f"buffer {name}": one for name, one in model.named_buffers()})
        return values

    def values_at(self, sizes: Dict[str, int]) -> Values:
        return self._values(self._operation.file.load(sizes, is_narrow=False).inputs(), self.model(sizes))

    def _with_buffers(self, free: Dict[str, List[Any]]) -> Dict[str, List[Any]]:
        """The places of each size among the buffers too."""
        found = {}
        base = self._operation.base
        before = dict(self.model(base).named_buffers())
        for name, places in free.items():
            after = dict(self.model({**base, name: base[name] + 1}).named_buffers())
            changed: List[Tuple[str, int]] = [
                (f"buffer {of}", axis)
                for of, one in before.items()
                for axis, (m, n) in enumerate(zip(one.shape, after[of].shape))
                if m != n
            ]
            found[name] = [*places, *changed]
        return found

    def arguments(self, values: Values, dtype: torch.dtype) -> List[Any]:
        given = [values.get(k, one.value) for k, one in enumerate(self.inputs)]
        return [
            one.to(device=self.device, dtype=dtype) if isinstance(one, torch.Tensor) and one.is_floating_point() else
            one.to(self.device) if isinstance(one, torch.Tensor) else one for one in given
        ]  # fmt: skip

    @staticmethod
    def outputs(result: Any) -> List[torch.Tensor]:
        return [torch.as_tensor(one) for one in _outputs(result)]

    def run(self, values: Values, sizes: Dict[str, int]) -> List[torch.Tensor]:
        """The results of Model in float64."""
        model = self.model(sizes).to(device=self.device, dtype=torch.float64)
        buffers = {id(one): self._double(values[f"buffer {name}"]) for name, one in model.named_buffers()}
        of = {name: self._double(values[name]) for name, _ in model.named_parameters()}
        usual = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            with torch.no_grad(), with_values(model, of, lambda one: buffers[id(one)]):
                return [one.double() for one in self.outputs(model(*self.arguments(values, torch.float64)))]
        finally:
            torch.set_default_dtype(usual)

    def _double(self, one: torch.Tensor) -> torch.Tensor:
        one = one.detach().to(self.device)
        return one.double() if one.is_floating_point() else one
