"""The sizes of extents that a kernel takes: {"D": [64, 128], "T": "multiple of 128", "V": "at least 2"}."""

from __future__ import annotations

import re
from typing import Any, Dict, List, NamedTuple, Sequence

LARGEST_EXTENT = 2**31 - 1
USUAL_LIMIT = 4097
LIMIT_ON_GPUS = 65_536  # what a row may have in kernels that hold it in one block of Triton


class TakenSizes(NamedTuple):
    """For each extent that has such: the smallest size, what the size is a multiple of, the only sizes in order."""

    least: Dict[str, int]
    multiple: Dict[str, int]
    listed: Dict[str, List[int]]


def _refused(name: str, value: Any) -> ValueError:
    return ValueError(f"extents[{name!r}] = {value!r}: expected sizes in a list, 'multiple of 128', 'at least 2', or the last two "
                      "with a comma between")  # fmt: skip


def _listed(name: str, sizes: Sequence[Any]) -> List[int]:
    if not sizes or not all(isinstance(one, int) and not isinstance(one, bool) and 0 < one <= LARGEST_EXTENT for one in sizes):
        raise _refused(name, sizes)
    return sorted(set(sizes))


def taken_sizes(extents: Any, names: Sequence[str], least: Dict[str, int]) -> TakenSizes:
    """What is declared of `names`, whose smallest sizes are `least` where nothing is declared. Raises TypeError and ValueError for
    what is no such declaration."""
    taken = TakenSizes(dict(least), {}, {})
    if not isinstance(extents, (dict, type(None))):
        raise TypeError(f"extents = {extents!r}: expected sizes by name, such as {{'T': 'multiple of 128'}}")
    for name, value in (extents or {}).items():
        if name not in names:
            raise ValueError(f"extents: {name!r} is no extent: expected {', '.join(names)}")
        if isinstance(value, (list, tuple, range)):
            taken.listed[name] = [one for one in _listed(name, value) if one >= least.get(name, 1)]
            if not taken.listed[name]:
                raise ValueError(f"extents[{name!r}] = {value!r}: expected a size of {least[name]} or more, which the reference takes")
            continue
        for part in str(value).split(","):
            found = re.fullmatch(r"\s*(multiple of|at least) ([1-9][0-9]{0,9})\s*", part)
            if not isinstance(value, str) or found is None or int(found[2]) > LARGEST_EXTENT:
                raise _refused(name, value)
            if found[1] == "multiple of":
                taken.multiple[name] = int(found[2])
            else:
                taken.least[name] = max(int(found[2]), least.get(name, 1))
    return taken


def _smallest(name: str, taken: TakenSizes) -> int:
    least, multiple = taken.least.get(name, 1), taken.multiple.get(name, 1)
    return taken.listed[name][0] if name in taken.listed else -(-least // multiple) * multiple


def sizes_up_to(name: str, taken: TakenSizes, limit: int) -> Sequence[int]:
    """The sizes of an extent that are taken, but 0, in their order."""
    if name in taken.listed:
        return [one for one in taken.listed[name] if one <= limit]
    return range(_smallest(name, taken), limit + 1, taken.multiple.get(name, 1))


def limits_with(limits: Dict[str, int], taken: TakenSizes, usual: int = USUAL_LIMIT) -> Dict[str, int]:
    """The limits, and those that follow from sizes above the usual limit. Raises ValueError where a limit leaves no size."""
    raised = dict(limits)
    for name in {**taken.least, **taken.multiple, **taken.listed}:
        smallest = _smallest(name, taken)
        if name not in limits:
            raised[name] = taken.listed[name][-1] if name in taken.listed else max(usual, 2 * smallest)
        elif limits[name] < smallest:
            raise ValueError(f"limits[{name!r}] = {limits[name]}: expected {smallest} or more, the smallest size that is taken")
    return raised
