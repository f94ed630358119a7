"""Parts of a problem in KernelBench's form that are small enough for exact results: some rows of a batch, some columns of a weight,
a window of an image, with the part of the result that they give.

Which axes can be cut is found by trying at small sizes. Whether a cut of a large problem gives its part of the large result is seen
by the float64 results of both, so that nothing rests on a guess.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch

from .trace import _outputs

_TRIED = 24  # of an axis while it is tried
_WINDOW = 16
_NEAR = 1e-10  # of the largest element: float64 results of the same element

Place = Tuple[Any, int]  # of an input by number or a parameter by name, and its axis
Values = Dict[Any, Any]  # of inputs by number and parameters by name


class Axis(NamedTuple):
    """An axis of the problem that can be cut: where it stands among inputs, parameters and results."""

    places: Tuple[Place, ...]
    outputs: Tuple[Place, ...]
    is_local: bool  # a window is cut, and results near its ends may be others; else any indices
    extent: str = ""  # the size of the file by which the model is built anew; none where the model takes any


def same(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Which elements are the same number, computed twice in float64."""
    scale = b[torch.isfinite(b)].abs().max() if bool(torch.isfinite(b).any()) else torch.tensor(0.0)
    return ((a - b).abs() <= _NEAR * scale) | (a == b) | (torch.isnan(a) & torch.isnan(b))


def selected(values: Values, places: Sequence[Place], indices: torch.Tensor) -> Values:
    """The values with these indices alone at the places."""
    cut = dict(values)
    for which, axis in places:
        cut[which] = cut[which].index_select(axis, indices.to(cut[which].device))
    return cut


def _changed(whole: Sequence[torch.Tensor], part: Sequence[torch.Tensor]) -> Optional[List[Place]]:
    """For each result its only axis whose size is another; None where one has no such axis."""
    places = []
    for k, (one, other) in enumerate(zip(whole, part)):
        axes = [axis for axis, (m, n) in enumerate(zip(one.shape, other.shape)) if m != n]
        if one.dim() != other.dim() or len(axes) != 1:
            return None
        places.append((k, axes[0]))
    return places


Run = Callable[[Values, Dict[str, int]], List[torch.Tensor]]


def _axis_of(run: Run, values: Values, sizes: Dict[str, int], places: Sequence[Place], extent: str) -> Optional[Axis]:
    """What cutting these places does to the results at small sizes."""
    count = values[places[0][0]].shape[places[0][1]]
    if count < 4:
        return None
    whole = run(values, sizes)
    for is_local, indices in ((False, torch.tensor([0, count - 1])), (True, torch.arange(count * 2 // 3))):
        try:
            part = run(selected(values, places, indices), {**sizes, extent: len(indices)} if extent else sizes)
        except Exception:
            continue
        found = _changed(whole, part)
        if found is None:
            continue
        due = [one.narrow(axis, 0, part[k].shape[axis]) if is_local else one.index_select(axis, indices)
               for (k, axis), one in zip(found, whole) if is_local or one.shape[axis] == count]  # fmt: skip
        if len(due) < len(whole):
            continue
        agree = [same(one, other) for one, other in zip(part, due)]
        first = [one.select(axis, 0) for (_, axis), one in zip(found, agree)]
        if all(bool(one.all()) for one in (first if is_local else agree)):
            return Axis(tuple(places), tuple(found), is_local, extent)
    return None


def axes_of(
    run: Run,
    values_at: Callable[[Dict[str, int]], Values],
    usual: Dict[str, int],
    free: Dict[str, List[Any]],
) -> List[Axis]:
    """The axes that can be cut: the free sizes at all their places, and those of single inputs, such as the rows of one factor."""
    found: List[Axis] = []

    def tried(places: Sequence[Place], extent: str, size: str) -> bool:
        for count in (_TRIED, 2 * usual[size], usual[size]):
            sizes = {**usual, size: count}
            try:
                axis = _axis_of(run, values_at(sizes), sizes, places, extent)
            except Exception:  # the model does not take this size
                continue
            if axis is not None:
                found.append(axis)
            return axis is not None
        return False

    for name, places in free.items():
        if any(axis == "below" for _, axis in places) or tried(places, name, name):
            continue
        for place in places:
            if isinstance(place[0], int):
                tried([place], "", name)
    return found


def window(count: int, middle: float, length: int) -> torch.Tensor:
    """Indices of a window that begins at a multiple of 8."""
    first = int(min(max(middle - length / 2, 0), count - length)) // 8 * 8
    return torch.arange(first, min(first + length, count))


def window_length(count: int) -> int:
    return min(count, _WINDOW)


def outputs_of(result: Any) -> List[torch.Tensor]:
    return [torch.as_tensor(one) for one in _outputs(result)]
