"""What is asked of PyTorch itself: which sizes a reference takes, and whether the trace says what it computes."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np
import torch

from .._traced import NotTraceable
from .conversions import memory_of
from .trace import DTYPES, _outputs

_TRIED = (1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 27, 32, 45, 64)  # sizes, of which one is the least that a reference takes


def _agree(ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> bool:
    scale = max(float(np.max(np.abs(theirs[np.isfinite(theirs)]), initial=0)), 1e-30)
    return ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=tolerance, atol=tolerance * scale, equal_nan=True)


class Agreement:
    """The part of an operation that runs the reference."""

    name: str
    inputs: List[Tuple[str, List[str], str, str, bool]]
    extents: List[str]
    limits: Dict[str, int]
    least: Dict[str, int]
    shapes: Callable[[Dict[str, int]], List[Tuple[int, ...]]]
    called: Callable[..., Any]
    truth: Callable[..., Dict[str, Any]]
    _rounds: bool
    results: Sequence[Tuple[int, ...]] = ()  # shapes of the outputs where the reference was run last, and their types
    result_types: Sequence[torch.dtype] = ()
    result_is_view: Sequence[bool] = ()  # of an input: then a kernel's may be one too

    def usual_tensors(self, extents: Dict[str, int]) -> Dict[str, torch.Tensor]:
        """Inputs in float64 whose values a float32 has too."""
        random, tensors = np.random.default_rng(1), {}
        for (name, _, kind, of, _), shape in zip(self.inputs, self.shapes(extents)):
            values = random.normal(size=shape).astype(np.float32).astype(np.float64)
            if kind == "flag":
                values = values > -0.5
            elif kind == "index":
                values = random.integers(0, max(extents.get(of) or (int(of) if of.isdigit() else 1), 1), size=shape)
            elif kind in ("unit", "positive"):
                values = np.exp(-np.abs(values)).astype(np.float32).astype(np.float64)
            tensors[name] = torch.from_numpy(np.asarray(values))
        return tensors

    def _computed(self, tensors: Dict[str, torch.Tensor], extents: Dict[str, int], dtype: torch.dtype) -> List[torch.Tensor]:
        """PyTorch's own results, with everything in this type."""

        def converted(one: torch.Tensor) -> torch.Tensor:
            return one.to(dtype) if one.is_floating_point() else one.clone()

        usual = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        try:
            with torch.no_grad():
                given = {key: converted(one).clone() for key, one in tensors.items()}
                return [torch.as_tensor(one) for one in _outputs(self.called(given, extents, converted))]
        finally:
            torch.set_default_dtype(usual)

    def _refused(self, extents: Dict[str, int]) -> str:
        """What PyTorch says where it does not take these sizes."""
        try:
            tensors = {name: torch.zeros(shape, dtype=DTYPES.get(kind, torch.float32))
                       for (name, _, kind, _, _), shape in zip(self.inputs, self.shapes(extents))}  # fmt: skip
            with torch.no_grad():
                results = [torch.as_tensor(one) for one in _outputs(self.called(tensors, extents))]
            self.results, self.result_types = [tuple(one.shape) for one in results], [one.dtype for one in results]
            given = [memory_of(one)[0] for one in tensors.values()]
            self.result_is_view = [one.numel() > 0 and memory_of(one)[0] in given for one in results]
            return ""
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def _least_extents(self) -> Dict[str, int]:
        """For each extent the first size that the reference takes where all others are large enough."""
        for size in _TRIED:  # a common size that is enough
            tried = {name: min(size, self.limits.get(name, size)) for name in self.extents}
            why = self._refused(tried)
            if not why:
                break
        else:
            raise ValueError(
                f"the reference refuses all sizes from 1 to {size}, such as "
                f"{', '.join(f'{name}={one}' for name, one in tried.items())}: {why}"
            )
        for name in self.extents:
            tried[name] = next(one for one in range(1, tried[name] + 1) if not self._refused({**tried, name: one}))
        return tried

    def usual_extents(self) -> Dict[str, int]:
        """Small sizes, no two of them equal where the reference takes that."""
        sizes = {name: min(max(self.least[name], 3 + k), self.limits.get(name, 3 + k)) for k, name in enumerate(self.extents)}
        return sizes if not self._refused(sizes) else dict(self.least)

    def _require_agreement(self, extents: Dict[str, int]) -> None:
        """Raises NotTraceable unless the graph's exact results are PyTorch's: a row of the table that says something else must
        not become a truth. In float64 to 9 digits, unless the reference itself asks for another type."""
        tensors = self.usual_tensors(extents)
        try:
            computed, dtype, tolerance = self._computed(tensors, extents, torch.float64), "float64", 1e-9
        except RuntimeError:
            computed, dtype, tolerance = self._computed(tensors, extents, torch.float32), "float32", 1e-4
        exact = self.truth(*[one.numpy() for one in tensors.values()], digits=20, dtype=dtype)["outputs"]
        for k, (one, texts) in enumerate(zip(computed, exact)):
            ours, theirs = np.array([float(text) for text in texts]), one.double().numpy().reshape(-1)
            if not _agree(ours, theirs, 1e-4 if self._rounds else tolerance):
                at = ", ".join(f"{name}={size}" for name, size in extents.items())
                raise NotTraceable(
                    f"output {k} of {self.name} as traced is not what PyTorch computes in {dtype}, where {at}: expected "
                    f"{theirs[:4]}, traced {ours[:4]}"
                )
