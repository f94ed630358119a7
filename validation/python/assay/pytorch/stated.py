"""The sizes that a problem in KernelBench's form states, judged after the small ones.

All elements of the results are compared with a run of `Model` in float64. That chooses elements: those that are furthest off, and
some thousands that are drawn, are computed exactly from cuts of the problem (cuts.py) and held to their bounds. It decides only
what is far off (compared.py), which is less far where no element has a bound.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import torch

from .._called import KernelEnded
from .compared import NothingToCompare, computed, difference, too_far, too_far_elsewhere
from .cut_operation import CutOperation
from .cuts import Axis, Values, axes_of, part_of, same, selected, window
from .feasible import Weight, why_not, weight_of
from .stated_problem import StatedProblem

_MOST_TERMS = 4_000_000  # of an exact computation
_MOST_SAMPLED = 4096  # elements of one cut
_WINDOW = 16


class Stated(NamedTuple):
    """What was found at the stated sizes."""

    verdict: str  # "pass", "fail", "not judged": no element has a bound, or "mistrusted": nothing is known of these sizes
    text: str  # what is wrong, or what has no bound and why
    judged: int = 0  # elements that were held to their bounds
    elements: int = 0  # that were compared with float64
    share: float = 0.0  # the largest error of a judged element, of its bound
    difference: float = 0.0  # the largest from float64, of the result's size
    case: Optional[Dict[str, Any]] = None


def _indices(axis: Axis, count: int, size: int, random: np.random.Generator, at: Optional[float]) -> torch.Tensor:
    """Of an axis with `count` elements: a window, or any `size` of them, about the share `at` of it or, with it, drawn."""
    where = random.random() if at is None else at
    if axis.is_local:
        return window(count, where * count, size)
    if at is not None:
        return torch.tensor([min(int(where * count + 0.5), count - 1)])
    return torch.from_numpy(np.sort(random.choice(count, size, replace=False)))


class _Judge:
    def __init__(self, problem: StatedProblem, results: List[torch.Tensor], exact: List[torch.Tensor], weight: Weight) -> None:
        self.problem, self.results, self.due, self.weight = problem, results, exact, weight
        self.axes = axes_of(problem.run, problem.values_at, problem.usual, problem.free)
        self.values = problem.values
        self.random = np.random.default_rng(1)
        self.judged, self.share, self.why = 0, 0.0, ""
        self.ranges = [float(one[torch.isfinite(one)].abs().max()) if torch.isfinite(one).any() else 0.0 for one in exact]

    def _count(self, axis: Axis) -> int:
        which, k = axis.places[0]
        return int(self.values[which].shape[k])

    def _sizes(self, grows: bool) -> Optional[List[int]]:
        """How much of each axis a cut has; None where the smallest is too large."""
        counts = [self._count(axis) for axis in self.axes]
        sizes = [min(count, _WINDOW) if axis.is_local else 1 for axis, count in zip(self.axes, counts)]

        def terms() -> float:
            return self.weight.terms * math.prod(size / count for size, count in zip(sizes, counts))

        def sampled() -> float:
            return self.weight.results * math.prod(size / count for size, count in zip(sizes, counts))

        if terms() > _MOST_TERMS:
            self.why = f"the exact value of one part takes {terms():.2g} terms, more than {_MOST_TERMS:.2g}"
            return None
        for k in list(range(len(sizes))) * 8 if grows else []:
            before, sizes[k] = sizes[k], min(sizes[k] * 2, counts[k])
            if terms() > _MOST_TERMS or sampled() > _MOST_SAMPLED:
                sizes[k] = before
        return sizes

    def judge(self, at: Optional[Tuple[int, Tuple[int, ...]]] = None) -> Optional[Stated]:
        """Judges a cut that is drawn, or the one about an element (result, index). A failure, or None."""
        sizes = self._sizes(at is None)
        if sizes is None:
            return None
        values, model_sizes, chosen = self.values, dict(self.problem.sizes), []
        for axis, size in zip(self.axes, sizes):
            share = None
            if at is not None:
                k, index = at
                share = (index[axis.outputs[k]] + (0.5 if axis.is_local else 0)) / self.due[k].shape[axis.outputs[k]]
            indices = _indices(axis, self._count(axis), size, self.random, share)
            values = selected(values, axis.places, indices)
            if axis.extent:
                model_sizes[axis.extent] = len(indices)
            chosen.append(indices)
        return self._judged(values, model_sizes, chosen)

    def _judged(self, values: Values, sizes: Dict[str, int], chosen: List[torch.Tensor]) -> Optional[Stated]:
        parts = [one.cpu() for one in self.problem.run(values, sizes)]
        operation = CutOperation(self.problem.model(sizes), self.problem.inputs, values)
        truth = operation.truth(*operation.arrays, digits=20, **self.problem.arithmetic)
        for k, part in enumerate(parts):
            at: Dict[int, torch.Tensor] = {}
            near: Dict[int, int] = {}
            for axis, indices in zip(self.axes, chosen):
                place = axis.outputs[k]
                if axis.is_local:
                    near[place] = round(int(indices[0]) * self.due[k].shape[place] / self._count(axis))
                else:
                    at[place] = indices
            places = part_of(self.due[k].cpu(), part, at, near)
            failure = self._compared(k, part, places, truth["outputs"][k], truth["output_bounds"][k])
            if failure is not None:
                return failure
        return None

    def _compared(self, k: int, part: torch.Tensor, places: List[torch.Tensor], texts: Any, bounds: Any) -> Optional[Stated]:
        exact, bound = np.array([float(one) for one in texts]), np.array(bounds)
        where = torch.meshgrid(*places, indexing="ij") if places else ()
        got = self.results[k].cpu()[where].double().numpy().reshape(-1)
        is_it = same(part, self.due[k].cpu()[where]).numpy().reshape(-1) & same(torch.from_numpy(exact), part.reshape(-1)).numpy()
        is_it &= np.isfinite(bound) & np.isfinite(exact) & (bound < self.ranges[k])
        self.judged += int(is_it.sum())
        error = np.abs(got - exact)
        wrong = np.flatnonzero(is_it & ~(error <= bound))
        share = np.divide(error, bound, out=np.zeros_like(error), where=bound > 0)
        self.share = max(self.share, float(share[is_it & ~np.isnan(share)].max(initial=0)))
        if not len(wrong):
            return None
        one = int(wrong[np.argmax(np.nan_to_num(share[wrong], nan=np.inf))])
        index = [int(axis.reshape(-1)[one]) for axis in where]
        text = (
            f"output[{', '.join(map(str, index))}]\n  exact    {texts[one]}\n  got      {got[one]:.9g}\n"
            f"  error    {error[one]:.3g}, {share[one]:.3g} of the bound {bound[one]:.3g}"
        )
        case = {"sizes": self.problem.sizes, "output": f"output{k}" if len(self.due) > 1 else "output", "index": index,
                "expected": texts[one], "got": f"{got[one]:.9g}"}  # fmt: skip
        return Stated("fail", text, self.judged, 0, self.share, case=case)

    def furthest(self) -> List[Tuple[int, Tuple[int, ...]]]:
        """Of each result the element that is furthest from float64, in units of its size and the usual one."""
        found = []
        for k, (got, due) in enumerate(zip(self.results, self.due)):
            if due.numel():
                off = (got.double() - due).abs() / (due.abs() + due.square().mean().sqrt() + 1e-300)
                flat = int(torch.where(torch.isnan(off), torch.full_like(off, -1.0), off).argmax())
                found.append((k, tuple(int(one) for one in np.unravel_index(flat, due.shape))))
        return found


def _wrong_shape(results: List[torch.Tensor], due: List[torch.Tensor]) -> str:
    shapes = [[list(one.shape) for one in some] for some in (results, due)]
    return "" if shapes[0] == shapes[1] else f"the results have the shapes {shapes[0]}: expected {shapes[1]}"


def judged_at_stated_sizes(operation: Any, kernel: Any, device: torch.device, **arithmetic: Any) -> Stated:
    """The kernel, a class like the Model, at the sizes of the file."""
    weight = weight_of(operation)
    why = why_not(weight, device)
    if why or weight is None:
        return Stated("mistrusted", why)
    problem = StatedProblem(operation, device, arithmetic)
    try:
        results = computed(problem, kernel, problem.values)
    except KernelEnded as error:
        return Stated("fail", str(error), case={"sizes": problem.sizes})
    except Exception as error:
        return Stated("fail", f"the kernel raised {type(error).__name__}: {error}", case={"sizes": problem.sizes})
    due = problem.run(problem.values, problem.sizes)
    wrong = _wrong_shape(results, due)
    off = math.nan if wrong else difference(results, due).largest
    compared = Stated("fail", wrong, 0, sum(one.numel() for one in due), 0.0, off, {"sizes": problem.sizes})
    wrong = wrong or too_far(problem, problem.values, results, due)
    if wrong:
        return compared._replace(text=wrong)
    found = _sampled(problem, results, due, weight)._replace(elements=compared.elements, difference=off)
    if found.verdict == "not judged":
        terms = (weight.terms + weight.held) / max(weight.results, 1)  # a plain sum makes its result alone of what it is given
        try:
            wrong = too_far(problem, problem.values, results, due, terms) or too_far_elsewhere(problem, kernel, terms)
        except NothingToCompare as none:
            return compared._replace(verdict="mistrusted", text=str(none))
    return compared._replace(text=wrong) if wrong else found


def _sampled(problem: StatedProblem, results: Any, due: Any, weight: Weight) -> Stated:
    if problem.is_narrow:
        return Stated("not judged", "the small sizes have narrower layers")
    judge, text = _Judge(problem, results, due, weight), ""
    for at in (None, *judge.furthest()):
        before = judge.judged
        failure = judge.judge(at)
        if failure is not None:
            return failure
        if at is not None and judge.judged == before:
            text = f"output {at[0]} is furthest from float64 at {list(at[1])}, which has no bound"
    if judge.judged == 0:
        return Stated("not judged", judge.why or "no part has a bound")
    return Stated("pass", text, judge.judged, 0, judge.share)
