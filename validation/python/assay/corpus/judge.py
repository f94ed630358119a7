"""What each rule says of the two kernels of an entry."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

from .. import metal
from .._arithmetic import types_of
from . import plain
from .entry import Entry, Kernel
from .inputs import drawn
from .narrow import EagerNames, eager, wide
from .rules import CONTROLS, RULES, Arrays, Rule, Try

OURS, ALGEBRA = "our bound", "our algebra"
AUTHOR, GENERATED = "random", "our cases"


def _seconds() -> float:
    """Processor time, that of the judge of built-in operations and of the emulator, which are processes of their own, too."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@dataclass
class Verdict:
    """What a rule says of the faulty and of the right kernel of an entry."""

    kills: bool
    accuses: bool
    seconds: float


@dataclass
class Judged:
    """An entry with the verdict of each rule on each kind of inputs, and the properties by which our gate noticed it."""

    entry: Entry
    verdicts: Dict[Tuple[str, str], Verdict] = field(default_factory=dict)
    noticed_by: List[str] = field(default_factory=list)
    accused_by: List[str] = field(default_factory=list)
    is_followed: bool = False  # whether the algebra can follow the right kernel


def _numbers(results: Any) -> List[np.ndarray]:
    some = results if isinstance(results, (tuple, list)) else [results]
    return [wide(one).astype(np.float64) for one in some]


class Reference:
    """The float64 reference of an entry, and eager mode in the kernel's type."""

    def __init__(self, entry: Entry) -> None:
        self._entry, self._built_in = entry, plain.KERNELS.get(entry.operation) if isinstance(entry.operation, str) else None

    def _widened(self, p: Any) -> Any:
        """The problem in float64."""
        names = [one[0] for one in self._entry.operation.inputs]
        values = {**vars(p), **{name: self._number(getattr(p, name), np.float64) for name in names}}
        values["upstreams"] = [self._number(one, np.float64) for one in p.upstreams]
        return type(p)(**{**values, "upstream": values["upstreams"][0]})

    def _number(self, x: Any, dtype: Any) -> Any:
        return x if x.dtype.kind in "bi" else wide(x).astype(dtype)

    def exact(self, p: Any) -> Any:
        if self._built_in:
            return self._built_in(np.float64)(p)
        if self._entry.is_gradient:
            return self._entry.right(self._widened(p))
        return self._entry.operation(*(self._number(getattr(p, one[0]), np.float64) for one in self._entry.operation.inputs))

    def eager(self, p: Any) -> Any:
        """Of a gradient, the right kernel itself: no formula of it is written out."""
        if self._built_in:
            return self._built_in(np.float32)(p)
        if self._entry.is_gradient:
            return self._entry.right(p)
        operation, dtype = self._entry.operation, self._entry.dtype
        arrays = [self._number(getattr(p, one[0]), np.float32) for one in operation.inputs]
        return operation.formula(EagerNames(dtype), *(eager(x, dtype) if x.dtype.kind == "f" else x for x in arrays))

    def dtypes(self, count: int) -> Sequence[str]:
        if isinstance(self._entry.operation, str):
            return ["float32"] * count
        types = types_of(self._entry.dtype, self._entry.declared.get("dtypes"), self._entry.operation.kinds)
        if self._entry.is_gradient:
            return [types.of(name) for name in self._entry.operation.differentiable]
        return [types.of_output(k) for k in range(count)]


def recorded(entry: Entry) -> List[Any]:
    """The problems that our gate gives to a kernel, those of the properties that compare with the reference."""
    seen: List[Any] = []

    def record(p: Any) -> Any:
        seen.append(p)
        return entry.right(p)

    entry.gate(record, filter=plain.COMPARED.get(str(entry.operation), "^(outputs|gradient)$"), own_process=False)
    return seen


@dataclass
class Tried:
    """A kernel on problems in turn, up to its first exception, with the seconds that each try took."""

    tries: List[Try] = field(default_factory=list)
    seconds: List[float] = field(default_factory=list)
    raised: bool = False

    def first(self, count: int) -> "Tried":
        return Tried(self.tries[:count], self.seconds[:count], self.raised and len(self.tries) < count)


def _results(kernel: Kernel, entry: Entry, p: Any) -> Any:
    """Races and accesses out of bounds are no matter of values: on a GPU they are the right ones, except now and then."""
    try:
        return kernel(p)
    except metal.CheckError:
        return entry.right(p)


def tried(entry: Entry, kernel: Kernel, problems: Sequence[Any]) -> Tried:
    reference, done = Reference(entry), Tried()
    compared: Callable[[Any, Arrays], Arrays] = plain.COMPARISONS.get(str(entry.operation), lambda p, results: results)
    for p in problems:
        began = _seconds()
        with np.errstate(all="ignore"):
            exact, by_eager = (list(compared(p, _numbers(one))) for one in (reference.exact(p), reference.eager(p)))
            try:
                got = list(compared(p, _numbers(_results(kernel, entry, p))))
            except Exception:  # whatever a kernel raises, and arrays of no shape to be compared: no rule accepts it
                done.raised = True
                return done
            done.tries.append(Try(got, by_eager, exact, reference.dtypes(len(exact))))
        done.seconds.append(_seconds() - began)
    return done


def _says(rule: Rule, kernels: Sequence[Tried], controls: List[Try]) -> Verdict:
    """Of the faulty and the right kernel."""
    began, accepted = _seconds(), []
    for kernel in kernels:
        with np.errstate(all="ignore"):
            accepted.append(not kernel.raised and rule.accepts(kernel.tries, controls))
    spent = _seconds() - began + sum(sum(kernel.seconds) for kernel in kernels)
    return Verdict(not accepted[0], not accepted[1], spent)


def _take_algebra(judged: Judged) -> None:
    """The verdict of the property `algebra` alone, which says nothing of a kernel that cannot be followed."""
    entry, began, verdicts = judged.entry, _seconds(), ["skipped", "skipped"]
    if not isinstance(entry.operation, str):
        results = [entry.gate(kernel, algebra=True, filter="^algebra$") for kernel in (entry.faulty, entry.right)]
        verdicts = [one["algebra"].verdict for one in results]
    failed = [one in ("fail", "error") for one in verdicts]
    judged.verdicts[ALGEBRA, GENERATED] = Verdict(failed[0], failed[1], _seconds() - began)
    judged.is_followed = verdicts[1] == "pass"


def judge(entry: Entry, rules: Sequence[Rule] = RULES) -> Judged:
    """An entry by every rule, on random inputs of the author's shape and on our generated cases, and by our gate."""
    judged = Judged(entry)
    most = max(rule.tries for rule in rules)
    author, generated = drawn(entry, most + CONTROLS), recorded(entry)
    control = tried(entry, entry.right, author[most:]).tries
    random = [tried(entry, kernel, author[:most]) for kernel in (entry.faulty, entry.right)]
    ours = [tried(entry, kernel, generated) for kernel in (entry.faulty, entry.right)]
    for rule in rules:
        judged.verdicts[rule.name, AUTHOR] = _says(rule, [one.first(rule.tries) for one in random], control)
        judged.verdicts[rule.name, GENERATED] = _says(rule, ours, ours[1].tries)
    _take_algebra(judged)
    began = _seconds()
    faulty, right = entry.gate(entry.faulty), entry.gate(entry.right)
    judged.verdicts[OURS, GENERATED] = Verdict(not faulty.passed, not right.passed, _seconds() - began)
    judged.noticed_by = [one.name for one in faulty.properties if not one.passed]
    judged.accused_by = [one.name for one in right.properties if not one.passed]
    return judged
