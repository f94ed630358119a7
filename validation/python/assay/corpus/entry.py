"""An entry of the corpus: a published fault as a kernel of our own writing, with a right kernel of the same operation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional

from .. import _gate
from .._gate_result import GateResult

Kernel = Callable[[Any], Any]


@dataclass(frozen=True)
class Entry:
    """`name` is that of the function with the fault, and `cause` its first line."""

    family: str
    name: str
    thread: str  # owner/repository#number, or where else the fault was published
    cause: str
    operation: Any  # "ctc", "cce", "svd", or a formula
    right: Kernel
    faulty: Kernel
    shape: Dict[str, int]  # the author's: what other rules try random inputs of
    declared: Dict[str, Any]  # to our gate
    is_gradient: bool
    draw: Optional[Callable[..., Any]]  # what the author's inputs have that is not drawn by their declaration

    @property
    def dtype(self) -> str:
        return str(self.declared.get("dtype", "float32"))

    def gate(self, kernel: Kernel, **options: Any) -> GateResult:
        """Our gate on a kernel of this operation, with the settings that it has where none are given, but for fewer cases, and
        no large ones, of the built-in operations, whose kernels in Python take long."""
        few = {"cases": 30, "reach": "none"} if isinstance(self.operation, str) else {}
        asked: Any = {**few, **self.declared, **options}
        if isinstance(self.operation, str):
            result: GateResult = _gate.gate(self.operation, kernel, **asked)  # type: ignore[call-overload]
        else:
            result = self.operation.gate(*((None, kernel) if self.is_gradient else (kernel, None)), **asked)
        return result


class Family:
    """The entries of one family, in the order in which they are written."""

    def __init__(self, name: str) -> None:
        self.name, self.entries = name, []  # type: str, List[Entry]

    def fault(
        self,
        thread: str,
        operation: Any,
        right: Kernel,
        *,
        shape: Dict[str, int],
        gradient: bool = False,
        draw: Optional[Callable[..., Any]] = None,
        **declared: Any,
    ) -> Callable[[Kernel], Kernel]:
        """Makes the decorated kernel an entry. Kernels of formulas need not take arrays without elements."""
        if not isinstance(operation, str):
            declared = {"empty": False, **declared}

        def add(faulty: Kernel) -> Kernel:
            name, cause = faulty.__name__.strip("_"), (faulty.__doc__ or "").split("\n")[0]
            self.entries.append(Entry(self.name, name, thread, cause, operation, right, faulty, shape, declared, gradient, draw))
            return faulty

        return add
