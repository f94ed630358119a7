"""python -m assay._plugin_worker ./libmine.so: loads a plug-in, answers calls of _plugin.Plugin on standard input."""

from __future__ import annotations

import ctypes
import os
import pickle
import select
import signal
import sys
import threading
from typing import Any, List, Tuple

import numpy as np

from ._plugin import ALIGNMENT, packed

DTYPES = {"float32": 0, "float16": 1, "bfloat16": 2, "float64": 3, "int64": 16, "bool": 17}  # assay_formula.h
STATUS = ("ok", "refused", "failed", "unsupported")
GUARD, GUARD_BYTE, UNWRITTEN = 64, 0xA5, 0xFF  # bytes on both sides of an output; its elements begin as NaN


class Array(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_int64)), ("dimensions", ctypes.c_int32),
                ("dtype", ctypes.c_int32), ("data", ctypes.c_void_p)]  # fmt: skip


def _described(name: str, array: np.ndarray, dtype: str, keep: List[Any]) -> Array:
    shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    keep += [shape, array]
    return Array(name.encode(), shape, array.ndim, DTYPES[dtype], array.ctypes.data if array.size else None)


def _placed(array: np.ndarray, past: int) -> np.ndarray:
    """A copy that begins so many bytes past a multiple of the alignment."""
    room = np.empty(array.nbytes + 2 * ALIGNMENT, np.uint8)
    first = -room.ctypes.data % ALIGNMENT + past
    copy = room[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def _guarded(shape: Tuple[int, ...], dtype: str) -> Tuple[np.ndarray, np.ndarray]:
    """All bytes, and the output between the guards."""
    of = np.dtype(np.uint16 if dtype == "bfloat16" else dtype)
    size = int(np.prod(shape, dtype=np.int64)) * of.itemsize
    whole = np.full(size + 2 * GUARD, GUARD_BYTE, np.uint8)
    whole[GUARD : GUARD + size] = UNWRITTEN
    return whole, whole[GUARD : GUARD + size].view(of).reshape(shape)


def _set_threads(library: ctypes.CDLL, inputs: List[Tuple[str, np.ndarray]]) -> None:
    """One to four threads of OpenMP, where the plug-in uses it: as many for equal sizes, so that a failure comes again."""
    if hasattr(library, "omp_set_num_threads"):
        library.omp_set_num_threads(1 + sum(one.size for _, one in inputs) % 4)


def answer(library: ctypes.CDLL, message: Any) -> Tuple[str, Any]:
    operation, gradient, dtype, inputs, past, outputs = message
    inputs = [(name, _placed(one, bytes_past)) for (name, one), bytes_past in zip(inputs, past)]
    entry = "assay_backward" if gradient else "assay_forward"
    if not hasattr(library, entry):
        return "failed", f"the plug-in exports no {entry}: declare it as assay_formula.h does"
    keep: List[Any] = []
    plain = {"int64": "int64", "bool": "bool"}
    given = [_described(name, one, plain.get(one.dtype.name, dtype), keep) for name, one in inputs]
    before = [one.tobytes() for _, one in inputs]
    made = [(name, *_guarded(shape, dtype)) for name, shape in outputs]
    due = [_described(name, one, dtype, keep) for name, _, one in made]
    _set_threads(library, inputs)
    text = ctypes.create_string_buffer(1000)
    status = getattr(library, entry)(operation.encode(), (Array * len(given))(*given), ctypes.c_size_t(len(given)),
                                     (Array * len(due))(*due), ctypes.c_size_t(len(due)), text, ctypes.c_size_t(1000))  # fmt: skip
    if status != 0:
        known = STATUS[status] if status in range(4) else f"status {status}, which is none of assay_status in assay_plugin.h"
        return known, f"the plug-in says: {text.value.decode(errors='replace') or known}"
    for (name, one), copy in zip(inputs, before):
        if one.tobytes() != copy:
            return "failed", f"the plug-in changed its input {name}"
    for name, whole, one in made:
        if (whole[:GUARD] != GUARD_BYTE).any() or (whole[GUARD + one.nbytes :] != GUARD_BYTE).any():
            return "failed", f"the plug-in wrote outside of {name}"
    return "ok", [one for _, _, one in made]


def leave() -> None:
    """Ends this process and what the plug-in has started."""
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def leave_with_the_program() -> None:
    """Leaves when the other end of standard input is closed, even if the plug-in never returns."""
    gone = select.poll()
    gone.register(0, 0)
    gone.poll()
    leave()


def main() -> None:
    threading.Thread(target=leave_with_the_program, daemon=True).start()
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the plug-in prints goes to standard error
    try:
        library, why = ctypes.CDLL(os.path.abspath(sys.argv[1])), ""
    except OSError as error:
        library, why = None, f"{sys.argv[1]} cannot be loaded ({error}): expected a shared library for this machine"
    while header := requests.read(8):
        message = pickle.loads(requests.read(int.from_bytes(header, "little")))
        answers.write(packed(answer(library, message) if library else ("failed", why)))
        answers.flush()
    leave()


if __name__ == "__main__":
    main()
