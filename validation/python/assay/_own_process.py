"""A kernel in a process of its own: a fork of this one, which finds the kernel as it is, in a notebook or a closure too.

What it does to Python, to the judge or to its process stays there. Answers come back as JSON and bytes, since to unpickle them
would run what a kernel has written. docs/threats.md says what this keeps out.
"""

from __future__ import annotations

import json
import os
import pickle
import struct
import sys
from typing import Any, BinaryIO, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._arrays import Carried, carry
from ._called import KernelEnded, called, is_in_kernel, kernel_calls, run_of_this_thread
from ._fork import Fork
from ._served import Served

Answer = Tuple[Dict[str, Any], List[Carried]]
Solve = Callable[..., Answer]

LONGEST_HEADER = 1 << 24  # bytes
GRACE = 2.0  # seconds for a call to end by itself (_called.py) before its process is ended
_DRIVERS = ("/dev/nvidia", "/dev/kfd", "/dev/dri/")  # of GPUs
_UNFORKABLE = ("jax", "mlx", "tensorflow", "cupy", "numba")  # have threads that a fork lacks


def why_here() -> str:
    """Why a kernel has to run in this process; "" where it need not."""
    if not sys.platform.startswith("linux"):
        return f"{sys.platform} has no safe fork"
    if is_in_kernel():
        return "it is judged inside of a kernel"
    for name in _UNFORKABLE:
        if name in sys.modules:
            return f"{name} is loaded, whose threads do not survive a fork"
    return "this process has begun to use a GPU, which a fork cannot" if _has_opened_a_gpu() else ""


def _has_opened_a_gpu() -> bool:
    """Whether a driver of NVIDIA's or AMD's has been opened, by whichever library: to count GPUs is enough."""
    for one in os.listdir("/proc/self/fd"):
        try:
            file = os.readlink(f"/proc/self/fd/{one}")
        except OSError:  # listdir's own, which is closed
            continue
        if file.startswith(_DRIVERS):
            return True
    return False


class OwnProcess:
    """Calls `solve` in a process of its own, or in this one where that has to be (`reason`)."""

    def __init__(self, solve: Solve, reason: str = "") -> None:
        self._solve, self._reason, self._has_hung = solve, reason, False
        self._served: Optional[Served] = None

    def __call__(self, *request: Any) -> Answer:
        """Raises KernelEnded where the process ends, or does not answer in time."""
        run = run_of_this_thread()
        if run is None:
            with kernel_calls():
                return self(*request)
        if self._served is None and not self._reason and run.own_process:
            self._reason = why_here()  # not at each call: it reads a folder
        reason = self._reason or ("" if run.own_process else "own_process=False")
        if reason:
            run.here = f"it ran in this process, which a kernel can change: {reason}"
            return self._solve(*request)
        if self._served is None:
            run.here = "" if _core.can_fence() else "it ran in a process that can trace this one: the system has no Landlock"
            seconds = run.seconds / 10 if self._has_hung else run.seconds  # shrinking calls a hanging kernel again and again
            serve = lambda calls, answers: self._serve(calls, answers, seconds)
            self._served = Served("the kernel", lambda: Fork(serve), seconds + min(GRACE, seconds), 0)
            run.closing.callback(self._close)
        return self._asked(self._served, request)

    def _close(self) -> None:
        if self._served is not None:
            self._served.close()
            self._served = None

    def _asked(self, served: Served, request: Tuple[Any, ...]) -> Answer:
        content = pickle.dumps(request, pickle.HIGHEST_PROTOCOL)
        try:
            if not served.is_quiet and served.is_running:
                raise ValueError("more than one for a call, or it has ended")
            served.write(struct.pack("<Q", len(content)) + content)
            (length,) = struct.unpack("<Q", served.read(8))
            if length > LONGEST_HEADER:
                raise ValueError(f"a header of {length} bytes")
            header = json.loads(served.read(length))
            return header, [_array(one, served) for one in header.pop("arrays")]
        except RuntimeError as error:
            self._close()
            self._has_hung = self._has_hung or "did not return" in str(error)
            raise KernelEnded(str(error)) from None
        except Exception as error:
            self._close()
            raise KernelEnded(f"the kernel's process wrote what is no answer: {type(error).__name__}: {error}") from None

    def _serve(self, calls: BinaryIO, answers: BinaryIO, seconds: float) -> None:
        with kernel_calls(seconds):
            while len(size := calls.read(8)) == 8:
                header, arrays = self._solve(*pickle.loads(calls.read(*struct.unpack("<Q", size))))
                text = json.dumps({**header, "arrays": [_said(one) for one in arrays]}).encode()
                answers.write(struct.pack("<Q", len(text)) + text)
                for one in arrays:
                    answers.write(one.array.tobytes())
                answers.flush()
                sys.stdout.flush()


def arrays_of(call: Callable[[], Sequence[Any]]) -> List[np.ndarray]:
    """The arrays that `call` returns in a process of its own. Raises KernelEnded, with what it raises."""

    def solve() -> Answer:
        try:
            return {"text": ""}, [carry(one) for one in called(call)]
        except KernelEnded as error:
            return {"text": str(error)}, []
        except Exception as error:
            return {"text": f"the kernel raised {type(error).__name__}: {error}"}, []

    said, arrays = OwnProcess(solve)()
    if said["text"]:
        raise KernelEnded(said["text"])
    return [one.array for one in arrays]


def _said(one: Carried) -> Dict[str, Any]:
    kind = one.array.dtype.str if one.array.dtype.kind in "biufc" else ""
    return {"dtype": one.dtype, "kind": kind or f"V{one.array.itemsize}", "shape": one.array.shape}


def _array(said: Dict[str, Any], served: Served) -> Carried:
    kind, shape = np.dtype(said["kind"]), tuple(said["shape"])
    if kind.kind not in "biufcV" or any(not isinstance(size, int) or size < 0 for size in shape):
        raise ValueError(f"an array of {said['kind']!r} and shape {shape}")
    size = kind.itemsize * int(np.prod(shape, dtype=object))
    return Carried(str(said["dtype"]), np.frombuffer(bytearray(served.read(size)), kind).reshape(shape))
