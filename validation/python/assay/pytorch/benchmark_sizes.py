"""Smaller sizes for a problem in KernelBench's form, and which of them may vary freely: the extents of the operation."""

from __future__ import annotations

import itertools
import time
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch

from .benchmark_file import BenchmarkFile, Input, Loaded
from .narrowed import Narrowing

_STRUCTURE = (8, 4, 16, 2, 32, 256)  # sizes up to this one are kept: widths of windows, heads, strides; at last, of images
_NARROWINGS = (1, 8, 16, 32, 4)  # what the widths are divided by that layers are given
_FIRST = (4, 8, 16, 32, 2)  # the smallest of the sizes that are made smaller
_FIRST_OF_NARROW = (4, 8, 20, 12, 2)  # also such as are no powers of two, which widths are
_MOST_ELEMENTS = 480_000  # of the inputs and parameters
_MOST_SECONDS = 20.0  # of looking for small sizes, for each narrowing
_MOST_RUN = 20_000_000  # of a model that is run once, to see what can be smaller


class Shapes(NamedTuple):
    """What the shapes of a problem are at some sizes."""

    inputs: List[Input]
    parameters: Dict[str, Tuple[int, ...]]


def shapes_of(loaded: Loaded) -> Shapes:
    model = loaded.model()
    return Shapes(loaded.inputs(), {name: tuple(one.shape) for name, one in model.named_parameters()})


def _elements(shapes: Shapes) -> int:
    tensors = [one.shape for one in shapes.inputs] + list(shapes.parameters.values())
    return sum(int(torch.Size(one).numel()) for one in tensors)


def shrunk(sizes: Dict[str, int], kept: int, first: int) -> Dict[str, int]:
    """Each size above `kept` as a power of two from `first` on; equal sizes stay equal, larger ones larger."""
    large = sorted({one for one in sizes.values() if one > kept})
    small = {one: first * 2 ** min(k, 3) for k, one in enumerate(large)}
    return {name: min(small.get(one, one), one) for name, one in sizes.items()}


def _runs(file: BenchmarkFile, sizes: Dict[str, int]) -> int:
    """Runs the model at these sizes; how many elements its inputs and parameters have. Raises what the model raises."""
    loaded = file.load(sizes)
    elements = _elements(shapes_of(loaded))
    if elements <= _MOST_RUN:
        with torch.no_grad():
            loaded.model()(*(one.value for one in loaded.inputs()))
    return elements


def _halved(file: BenchmarkFile, sizes: Dict[str, int], elements: int) -> Optional[Dict[str, int]]:
    """The sizes with each halved, the largest first, as long as the model runs; None where that does not make it small. Those
    that are the file's own come last."""
    names = sorted(sizes, key=lambda name: (sizes[name] == file.sizes[name], -sizes[name]))
    while elements > _MOST_ELEMENTS and names:
        name = names.pop(0)
        try:
            smaller = {**sizes, name: sizes[name] // 2}
            now = _runs(file, smaller) if smaller[name] else elements
            if now < elements:
                sizes, elements = smaller, now
                names.append(name)
        except Exception:
            pass  # this one stays as it is
    return sizes if elements <= _MOST_ELEMENTS else None


def base_sizes(file: BenchmarkFile) -> Dict[str, int]:
    """Small sizes at which the model can be built and run, if need be with narrow layers (`file.narrowing`). Raises ValueError
    where none is found."""
    why = ""
    for factor in _NARROWINGS:
        began, is_large = time.monotonic(), False
        for first, kept in itertools.product(_FIRST if factor == 1 else _FIRST_OF_NARROW, _STRUCTURE):
            file.narrowing = Narrowing(factor) if factor > 1 else None
            sizes = shrunk(file.sizes, kept, first)
            try:
                elements = _runs(file, sizes)
                found = _halved(file, sizes, elements) if elements <= _MOST_RUN else None
                if found is not None:
                    return found
                is_large, why = True, f"its parameters and inputs have more than {_MOST_ELEMENTS} elements at those tried"
            except Exception as error:
                why = why or f"{type(error).__name__}: {error}"
            if time.monotonic() - began > _MOST_SECONDS:
                break
        if not is_large:
            break
    raise ValueError(f"{file.path}: no smaller sizes were found at which the model runs: {why}")


def _differing(a: Shapes, b: Shapes, size: int, other: int) -> Optional[List[Any]]:
    """The places [which, axis] at which the shapes differ, if all have `size` in `a` and `other` in `b`; else None."""
    pairs: List[Any] = [(k, one.shape, two.shape) for k, (one, two) in enumerate(zip(a.inputs, b.inputs))]
    pairs += [(name, shape, b.parameters.get(name, ())) for name, shape in a.parameters.items()]
    places: List[Any] = []
    for which, shape, its in pairs:
        if len(shape) != len(its):
            return None
        for axis, (m, n) in enumerate(zip(shape, its)):
            if m != n:
                if (m, n) != (size, other):
                    return None
                places.append((which, axis))
    for k, (one, two) in enumerate(zip(a.inputs, b.inputs)):
        if one.below != two.below and one.kind == "index":
            if (one.below, two.below) != (size, other):
                return None
            places.append((k, "below"))
    return places if a.parameters.keys() == b.parameters.keys() else None


def free_extents(file: BenchmarkFile, base: Dict[str, int]) -> Dict[str, List[Any]]:
    """The sizes that may vary by themselves, with the places where they stand: all places that change with one are this size, and
    the model runs with one more and with four times as much. They are smaller than the file's, or a batch. A kernel may know the
    others, such as a window's width."""
    free: Dict[str, List[Any]] = {}
    at_base = shapes_of(file.load(base))
    taken: List[Any] = []
    for name, size in base.items():
        try:
            for other in (size + 1, 4 * size):
                _runs(file, {**base, name: other})
        except Exception:
            continue
        places = _differing(at_base, shapes_of(file.load({**base, name: size + 1})), size, size + 1)
        is_small = size == file.sizes[name] and any(place != (place[0], 0) or isinstance(place[0], str) for place in places or ())
        if places and not is_small and not any(one in taken for one in places):
            free[name] = places
            taken += places
    return free
