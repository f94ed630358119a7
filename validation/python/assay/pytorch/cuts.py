"""Parts of a problem in KernelBench's form that are small enough for exact results: rows of a batch, columns of a weight, a
window of an image, with the part of the result that they give.

Which axes can be cut is found by trying at small sizes. Whether a cut of a large problem gives its part of the large result is
seen by the float64 results of both, so that nothing rests on a guess.
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch

_TRIED = 24  # of an axis while it is tried
_NEAR = 1e-10  # of the largest element: two float64 results of the same element

Place = Tuple[Any, int]  # an input by number, or a parameter or a buffer by name, and its axis
Values = Dict[Any, Any]  # inputs by number, parameters and buffers by name
Run = Callable[[Values, Dict[str, int]], List[torch.Tensor]]  # the reference in float64 on values, built at sizes


class Axis(NamedTuple):
    """An axis of the problem that can be cut: where it stands in the values and in the results."""

    places: Tuple[Place, ...]
    outputs: Tuple[int, ...]  # of each result, its axis
    is_local: bool  # a window is cut, whose results near its ends may be others; else any indices
    extent: str = ""  # the size of the file that the model is built with; none where the model takes any


def same(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Which elements are the same number, computed twice in float64."""
    finite = b[torch.isfinite(b)]
    scale = finite.abs().max() if finite.numel() else 0.0
    return ((a - b).abs() <= _NEAR * scale) | (a == b) | (torch.isnan(a) & torch.isnan(b))


def selected(values: Values, places: Sequence[Place], indices: torch.Tensor) -> Values:
    """The values with these indices alone at the places."""
    cut = dict(values)
    for which, axis in places:
        cut[which] = cut[which].index_select(axis, indices.to(cut[which].device))
    return cut


def _changed(whole: Sequence[torch.Tensor], part: Sequence[torch.Tensor]) -> Optional[List[int]]:
    """Of each result the only axis whose size is another; None where one has no such axis."""
    found = []
    for one, other in zip(whole, part):
        axes = [axis for axis, (m, n) in enumerate(zip(one.shape, other.shape)) if m != n]
        if one.dim() != other.dim() or len(axes) != 1:
            return None
        found += axes
    return found


def _gives_its_part(whole: torch.Tensor, part: torch.Tensor, axis: int, indices: torch.Tensor, is_local: bool) -> bool:
    """Whether a cut result is this part of the whole one; of a window, whether its first elements are."""
    if is_local:
        return bool(same(part.select(axis, 0), whole.select(axis, 0)).all())
    is_there = part.shape[axis] == len(indices) and int(indices.max()) < whole.shape[axis]
    return is_there and bool(same(part, whole.index_select(axis, indices)).all())


def _axis_of(run: Run, values: Values, sizes: Dict[str, int], places: Sequence[Place], extent: str) -> Optional[Axis]:
    """What cutting these places does to the results at small sizes; None where they have to stay whole."""
    count = values[places[0][0]].shape[places[0][1]]
    whole = run(values, sizes)
    for is_local, indices in ((False, torch.tensor([0, count - 1])), (True, torch.arange(count * 2 // 3))):
        try:
            part = run(selected(values, places, indices), {**sizes, extent: len(indices)} if extent else sizes)
        except Exception:  # the model does not take this size
            continue
        found = _changed(whole, part)
        if found and all(_gives_its_part(*one, indices, is_local) for one in zip(whole, part, found)):
            return Axis(tuple(places), tuple(found), is_local, extent)
    return None


def axes_of(
    run: Run, values_at: Callable[[Dict[str, int]], Values], usual: Dict[str, int], free: Dict[str, List[Any]]
) -> List[Axis]:
    """The axes that can be cut: the free sizes at all their places, else at a single input, as the rows of one factor are."""
    found: List[Axis] = []

    def tried(places: Sequence[Place], extent: str, name: str) -> bool:
        for count in (_TRIED, max(usual[name], 4)):
            sizes = {**usual, name: count}
            try:
                with warnings.catch_warnings():  # of PyTorch, about sizes that it broadcasts
                    warnings.simplefilter("ignore")
                    axis = _axis_of(run, values_at(sizes), sizes, places, extent)
            except Exception:  # as above
                continue
            if axis is not None:
                found.append(axis)
                return True
        return False

    for name, places in free.items():
        if not any(axis == "below" for _, axis in places) and not tried(places, name, name):
            for place in places:
                if isinstance(place[0], int) and len(places) > 1:
                    tried([place], "", name)
    return found


def window(count: int, middle: float, length: int) -> torch.Tensor:
    """Indices of a window, which begins at a multiple of 8 so that strides fit."""
    first = int(max(middle - length / 2, 0)) // 8 * 8
    if first + length < count:
        return torch.arange(first, first + length)
    return torch.arange(max(count - length, 0) // 8 * 8, count)


def part_of(whole: torch.Tensor, part: torch.Tensor, at: Dict[int, torch.Tensor], near: Dict[int, int]) -> List[torch.Tensor]:
    """Of each axis the indices in the whole result of a part's elements: `at` says them of axes with any indices, `near` about
    where a window begins; there the place is taken where most elements agree."""
    for axis, indices in at.items():
        whole = whole.index_select(axis, indices.to(whole.device))
    best = -1
    found: Dict[int, int] = {}
    ranges = [
        [one for one in (first, first - 1, first + 1, first - 2, first + 2) if 0 <= one <= whole.shape[axis] - part.shape[axis]]
        for axis, first in near.items()
    ]
    for firsts in itertools.product(*ranges):  # the nearest first
        there = whole
        for axis, first in zip(near, firsts):
            there = there.narrow(axis, first, part.shape[axis])
        agree = int(same(part, there).sum()) if there.shape == part.shape else -1
        if agree > best:
            best, found = agree, dict(zip(near, firsts))
    return [at[axis] if axis in at else torch.arange(size) + found.get(axis, 0) for axis, size in enumerate(part.shape)]
