"""The results at the sizes that a file states, compared with those of `Model` in float64. That takes no bound of an element."""

from __future__ import annotations

import math
from typing import Any, List, NamedTuple

import torch

from .._arithmetic import ROUNDOFFS
from .._called import KernelEnded, called
from .._file_kernel import loaded
from .._own_process import arrays_of
from .calls import parameters_like, set_parameters, tensor_of
from .cuts import Values
from .stated_problem import StatedProblem

_FAR = 0.1  # of a result's size: what a float32 cannot be off by where PyTorch's own is off by a thousandth of it
_STEPS = 256  # a right kernel may be this many times further off than PyTorch's by other steps than sums
_WALK = 16  # and by sums of n terms, one after another, this many times sqrt(n): their roundings have random signs
_ELSEWHERE = "with each row of the inputs times a number from 1/4 to 1: "


class NothingToCompare(Exception):
    """PyTorch's own results are as far off as the kernel's, so that neither shows anything."""


class Difference(NamedTuple):
    """From float64, as a part of the result's size; NaN where one is NaN alone. That of the result which is furthest off."""

    largest: float  # of the largest number
    mean: float  # of the mean of sizes, in which few elements, such as those at the jump of a step, count little


def difference(results: List[torch.Tensor], due: List[torch.Tensor]) -> Difference:
    worst = Difference(0.0, 0.0)
    for got, one in zip(results, due):
        off = (got.double() - one).abs()
        off = torch.where((got.double() == one) | (torch.isnan(got) & torch.isnan(one)), torch.zeros_like(off), off)
        if off.numel() and bool(torch.isnan(off).any()):
            return Difference(math.nan, math.nan)
        if off.numel():
            size = torch.where(torch.isfinite(one), one.abs(), torch.zeros_like(one)).clamp_min(1e-300)
            worst = Difference(max(worst.largest, float(off.max() / size.max())), max(worst.mean, float(off.mean() / size.mean())))
    return worst


def computed(problem: StatedProblem, kernel: Any, values: Values) -> List[torch.Tensor]:
    """The kernel's results, or Model's for None, in a process of its own, unless on a GPU."""
    if problem.device.type == "cpu":
        return [tensor_of(one) for one in arrays_of(lambda: _computed(problem, kernel, values))]
    results: List[torch.Tensor] = called(_computed, problem, kernel, values)
    return results


def _computed(problem: StatedProblem, kernel: Any, values: Values) -> List[torch.Tensor]:
    made = problem.model(problem.sizes, loaded(kernel)).to(device=problem.device, dtype=problem.dtype)
    own = {name: one.detach() for name, one in values.items() if name in problem.parameters}
    set_parameters(parameters_like(made, {name: one.shape for name, one in own.items()}), own)
    for name, one in made.named_buffers():
        if f"buffer {name}" in values and values[f"buffer {name}"].shape == one.shape:
            one.copy_(values[f"buffer {name}"])
    given = problem.arguments(values, problem.dtype)
    try:
        if made.training:
            return [one.detach() for one in problem.outputs(made(*given))]
    except RuntimeError:
        pass  # a kernel for inference alone
    with torch.no_grad():
        return problem.outputs(made(*given))


def too_far(problem: StatedProblem, values: Values, results: List[torch.Tensor], due: List[torch.Tensor],
            terms: float = math.inf) -> str:  # fmt: skip
    """What is said of results that are further off than those of a right kernel are; nothing of others.

    PyTorch sums by parts, a kernel perhaps the `terms` of a result one by one. NothingToCompare where their number is given and
    PyTorch's own results are too far off."""
    types = [str(problem.dtype).split(".")[-1], *filter(None, [problem.arithmetic.get("compute")])]
    found, roundoff, times = difference(results, due), max(ROUNDOFFS[one] for one in types), max(_STEPS, _WALK * math.sqrt(terms))
    if found.largest <= _FAR and found.mean <= min(_FAR, times * roundoff):
        return ""
    own = difference(computed(problem, None, values), due)
    if not own.largest <= _FAR / 100:  # of what float32 cannot compute
        if terms < math.inf:
            raise NothingToCompare(f"off by {found.largest:.2g} of the result's size, and PyTorch's Model by {own.largest:.2g}")
        return ""
    said = f"of the result's size{{}}, where PyTorch's Model is off by {own.largest:.2g}"
    if not found.largest <= _FAR:
        return f"off by {found.largest:.3g} {said.format('')}"
    is_near = found.mean <= min(_FAR, times * max(own.mean, roundoff)) or not own.mean <= _FAR / 100
    return "" if is_near else f"off by {found.mean:.3g} {said.format(' on average')}"


def too_far_elsewhere(problem: StatedProblem, kernel: Any, terms: float) -> str:
    """As too_far, with other inputs than the file draws: an answer may know what those give."""
    random = torch.Generator().manual_seed(3)

    def scaled(one: torch.Tensor) -> torch.Tensor:
        factors = 0.25 + 0.75 * torch.rand([*one.shape[:1], *[1] * (one.dim() - 1)], generator=random)
        return one * factors.to(one)

    values = {key: scaled(one) if isinstance(key, int) and one.is_floating_point() else one for key, one in problem.values.items()}
    try:
        due = problem.run(values, problem.sizes)
    except Exception:  # of a Model that refuses such inputs
        return ""
    try:
        said = too_far(problem, values, computed(problem, kernel, values), due, terms)
    except NothingToCompare:
        raise
    except KernelEnded as error:
        said = str(error)
    except Exception as error:
        said = f"the kernel raised {type(error).__name__}: {error}"
    return _ELSEWHERE + said if said else ""
