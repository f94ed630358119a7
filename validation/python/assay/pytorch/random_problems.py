"""The sizes and the numbers at which a Model that draws random numbers is run in training mode."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

import numpy as np
import torch

from .benchmark_file import Loaded
from .feasible import weight_of, why_not
from .kernelbench import BenchmarkOperation
from .trace import _outputs

_LARGER = 2000  # numbers that the inputs have at the larger sizes

Sets = List[Tuple[List[Any], Dict[str, Any]]]


class TrainingProblem(NamedTuple):
    """A problem at some sizes."""

    name: str  # of its sizes
    made: Loaded
    device: torch.device
    seed: int
    is_large: bool = True  # left out where it takes too long


def _larger(operation: BenchmarkOperation, seed: int) -> Dict[str, int]:
    """All sizes that vary freely larger, up to those of the file, until the inputs have some thousands of numbers."""
    free = [name for name in operation.base if name in operation.extents]
    draws, found = np.random.default_rng(seed), dict(operation.base)
    for factor in (2, 4, 8, 16, 32, 64):
        drawn = {name: factor * operation.base[name] + int(draws.integers(4)) for name in free}
        grown = {**operation.base, **{name: min(size, operation.file.sizes[name]) for name, size in drawn.items()}}
        try:
            made = operation.file.load(grown)
            given = made.given()
            made.model()(*given)
        except Exception:  # as of two sizes that go together, or a layer's narrow width
            continue
        found = grown
        if sum(one.numel() for one in given if isinstance(one, torch.Tensor)) >= _LARGER:
            break
    return found


def problems_of(operation: BenchmarkOperation, device: torch.device, seed: int, is_small: bool) -> Iterator[TrainingProblem]:
    """Small ones first, those of the file last, where they can be run."""
    file = operation.file
    yield TrainingProblem("small sizes", file.load(operation.base), device, seed, is_large=False)
    larger = _larger(operation, seed)
    if larger != operation.base:
        name = ", ".join(f"{one}={size}" for one, size in larger.items())
        yield TrainingProblem(name, file.load(larger), device, seed + 1)
    if not is_small and file.sizes not in (operation.base, larger) and not why_not(weight_of(operation), device):
        yield TrainingProblem("the sizes of the file", file.load(file.sizes, is_narrow=False), device, seed + 2)


def _is_real(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def copied(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


def sets_of(problem: TrainingProblem) -> Sets:
    """Inputs and parameters as the file has them, and others: inputs of both signs where Model is finite for them, else, as
    parameters, of half to all their size."""
    draws = torch.Generator().manual_seed(problem.seed)

    def less(value: Any) -> Any:
        return value * (0.5 + 0.5 * torch.rand(value.shape, generator=draws)).to(value) if _is_real(value) else value

    given = [one.to(problem.device) if isinstance(one, torch.Tensor) else one for one in problem.made.given()]
    model = problem.made.model().train().to(problem.device)
    parameters = {name: one.detach().clone() for name, one in model.named_parameters()}
    others = [2 * torch.randn(one.shape, generator=draws).to(one) if _is_real(one) else one for one in given]
    try:
        results = _outputs(model(*map(copied, others)))
        is_finite = all(bool(torch.isfinite(torch.as_tensor(one)).all()) for one in results)
    except Exception:  # as of a loss that takes probabilities alone
        is_finite = False
    others = others if is_finite else [less(one) for one in given]
    return [(given, parameters), (others, {name: less(one) for name, one in parameters.items()})]
