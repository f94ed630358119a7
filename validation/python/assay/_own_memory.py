"""What a kernel may not do to arrays: change its inputs, return views of them, write to the results of the call before."""

from __future__ import annotations

from typing import List, Sequence, Tuple

import numpy as np


class SharedMemory(RuntimeError):
    """A caller may write to a result or to an input, and still needs the results of the calls before."""


Named = Sequence[Tuple[str, np.ndarray]]


class Memory:
    """The arrays of one kernel's calls."""

    def __init__(self) -> None:
        self._given: List[Tuple[str, np.ndarray, bytes]] = []
        self._before: List[Tuple[str, np.ndarray, bytes]] = []  # results of the call before, with their bytes

    def give(self, inputs: Named) -> None:
        """Remembers the inputs of a call that begins."""
        self._given = [(name, array, array.tobytes()) for name, array in inputs]

    def require_inputs(self) -> None:
        """Raises SharedMemory for an input that the call has changed."""
        for name, array, content in self._given:
            if array.tobytes() != content:
                raise SharedMemory(f"the kernel changed its input {name}: expected its values as before; copy it before writing")

    def take(self, results: Named) -> None:
        """Raises SharedMemory for a result that is a view of an input, and for one of the call before that has changed."""
        for name, array in results:
            for input_name, one, _ in self._given:
                if array.size and np.may_share_memory(array, one):
                    raise SharedMemory(f"{name} is a view of the input {input_name}: expected an array of its own; return a copy")
        for name, array, content in self._before:
            if array.tobytes() != content:
                self._before = []
                raise SharedMemory(f"{name} of the call before was overwritten by this call: expected a new array for each call")
        self._before = [(name, array, array.tobytes()) for name, array in results]
