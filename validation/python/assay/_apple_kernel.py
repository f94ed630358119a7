"""A kernel that Apple's compiler has made, and the binding by which its host calls it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Tuple, Union

import numpy as np

Binding = Dict[str, Any]


@dataclass(frozen=True)
class AppleKernel:
    """A kernel of a package, with the binding that calls it: all but the source."""

    title: str  # the function, and how it is called
    package: str  # as its wheel's name begins
    operation: Any
    binding: Binding
    declared: Dict[str, Any] = field(default_factory=dict)  # of an operation of the gallery; others have it in the binding
    library: str = ""  # the number of the library, where the package has several
    batch: Dict[str, np.ndarray] = field(default_factory=dict)  # judged in place of generated cases

    def write(self, wheel: Path, folder: Path) -> Path:
        """The binding's file, in the folder."""
        name = self.operation if isinstance(self.operation, str) else self.operation.name
        path = folder / f"{self.title.replace(', ', '-').replace(' ', '_')}.json"
        binding = {"operation": name, "source": f"{wheel.absolute()}{self.library}", **self.binding}
        path.write_text(json.dumps(binding, indent=1) + "\n")
        if self.batch:
            batch: Any = self.batch
            np.savez(path.with_suffix(".npz"), **batch)
        return path

    def options(self, path: Path) -> Dict[str, Any]:
        """Those of assay.gate, besides what is declared."""
        only = {"input": str(path.with_suffix(".npz")), "cases": 0, "filter": "^(loss|gradient)$"}
        return {**self.declared, **(only if self.batch else {})}


Value = Union[str, int, Tuple[str, str]]


def buffers(*given: Union[str, Tuple[str, Value], None]) -> List[Dict[str, Any]]:
    """One for each index: the name of an array, a type with a value, "struct" with its name, or nothing."""
    result = []
    for index, one in enumerate(given):
        if isinstance(one, str):
            result.append({"index": index, "array": one})
        elif one is not None:
            kind, value = one
            bound = {"struct": value} if kind == "struct" else {"type": kind, "value": str(value)}
            result.append({"index": index, **bound})
    return result


def fields(types: str, *values: str) -> List[Dict[str, str]]:
    """Of a struct: "int * 3, long" and a value for each."""
    names = [name for part in types.split(", ") for name in [part.split()[0]] * int((part.split() + ["*", "1"])[2])]
    assert len(names) == len(values), (names, values)
    return [{"type": name, "value": value} for name, value in zip(names, values)]


def constants(first: int, *values: str) -> List[Dict[str, Any]]:
    return [{"index": first + n, "type": "bool", "value": value} for n, value in enumerate(values)]
