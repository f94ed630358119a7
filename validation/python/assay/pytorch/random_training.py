"""ModelNew in training mode where Model draws random numbers, as one with dropout does: no element has a bound there, but over
many runs, each from another seed, the results of both have the same means and spreads, and as many of them vary together. So at
small sizes, at larger ones, and at the file's where time allows. Two sets of inputs and parameters take turns, so that an answer
of an earlier run shows; the second has inputs of both signs."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any, List

import numpy as np
import torch

from .._called import KernelEnded, called
from .._file_kernel import loaded
from .._own_process import arrays_of
from .calls import parameters_like, set_parameters
from .kernelbench import BenchmarkOperation
from .random_problems import Sets, TrainingProblem, copied, problems_of, sets_of
from .random_spreads import why_other_numbers
from .trace import _outputs

_RUNS, _RUNS_OF_LARGE, _FEWEST = 512, 128, 32  # of each set of inputs; fewer than the first two where they take longer than
_SECONDS = 3.5  # for each of Model and ModelNew at each size: of processor time, or on a GPU of all time
_MOST = 2048  # elements of a result that are kept


@lru_cache(8)
def _places(count: int, seed: int) -> torch.Tensor:
    draws = np.random.default_rng(seed).integers(0, count, _MOST)
    return torch.from_numpy(np.unique(draws) if count > _MOST else np.arange(count))


def _kept(result: Any, seed: int) -> np.ndarray:
    """Some elements, from random places."""
    flat = torch.as_tensor(result).detach().reshape(-1)
    return np.asarray(flat[_places(flat.numel(), seed).to(flat.device)].cpu().double().numpy())


def _runs(problem: TrainingProblem, sets: Sets, kernel: Any) -> List[np.ndarray]:
    """Of each result the shape in each run, then for each set the elements in each run; of Model for None. Nothing where Model
    takes too long."""
    model = problem.made.model(None if kernel is None else loaded(kernel)).train().to(problem.device)
    own = parameters_like(model, {name: one.shape for name, one in sets[0][1].items()})
    count = _RUNS_OF_LARGE if problem.is_large else _RUNS
    seeds = np.random.default_rng([problem.seed, kernel is None]).integers(2**62, size=2 * count)
    shapes, found = [], []
    clock = time.process_time if problem.device.type == "cpu" else time.monotonic
    began = clock()
    for run, seed in enumerate(seeds):
        values, parameters = sets[run % 2]
        set_parameters(own, parameters)
        torch.manual_seed(int(seed))
        results = _outputs(model(*map(copied, values)))
        shapes.append([np.array(torch.as_tensor(one).shape, np.int64) for one in results])
        found.append([_kept(one, problem.seed) for one in results])
        took = clock() - began
        if kernel is None and problem.is_large and run == 3 and took / 4 * _FEWEST > _SECONDS:
            return []
        if run % 2 and run >= 2 * _FEWEST - 1 and took > _SECONDS:
            break
    return [np.stack(one) for some in (shapes, found[::2], found[1::2]) for one in zip(*some)]


def _why_other_at(problem: TrainingProblem, kernel: Any) -> str:
    sets = sets_of(problem)
    due = _runs(problem, sets, None)
    if not due:
        return ""
    try:
        run = lambda: _runs(problem, sets, kernel)
        got = arrays_of(run) if problem.device.type == "cpu" else called(run)
    except KernelEnded as error:
        return f"ends: {error}"
    except Exception as error:
        return f"raises {type(error).__name__}: {error}"
    if len(got) != len(due):
        return f"gives {len(got) // 3} results, where Model gives {len(due) // 3}"
    if any(len(one) < _FEWEST or one.shape[1:] != its.shape[1:] for one, its in zip(got, due)):
        return "gives results of another shape than Model's"
    count = len(due) // 3
    for one, its in zip(got[:count], due):
        if (one != its[0]).any():
            return f"gives results of shape {one[0].tolist()}, where Model gives {its[0].tolist()}"
    return next((why for why in map(why_other_numbers, got[count:], due[count:]) if why), "")


def why_other_in_training(
    operation: BenchmarkOperation, kernel: Any, device: torch.device, seed: int = 1, is_small: bool = False
) -> str:
    """What is wrong with ModelNew in training mode, in words that follow its name; "" of one that behaves as Model does. At small
    sizes alone with `is_small`."""
    for problem in problems_of(operation, device, seed, is_small):
        why = _why_other_at(problem, kernel)
        if why:
            return f"{why}, at {problem.name}"
    return ""
