"""Calls kernels that are Python functions, in this process: what would end the process, and what does not return, becomes
a verdict, and an interrupt ends the run.

A function that hangs in compiled code cannot be ended: Python raises exceptions only between its own instructions.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from contextlib import ExitStack, contextmanager
from typing import Any, Callable, Dict, Iterator, Optional

from . import _core, _numbers

TIME_LIMIT = 60.0  # seconds of processor time for a call
PATIENCE_FOR_WAITING = _core.CallDeadline.patience_for_waiting
lost_threads = False  # whether this is a fork of a process that had threads of its user


class KernelEnded(RuntimeError):
    """A kernel would have ended this process, or did not return."""


class Hung(BaseException):
    """Raised inside a kernel whose time is up. It is no Exception, so that a kernel does not catch it by mistake."""


class _Exited(BaseException):
    """Raised inside a kernel in place of ending the process."""


def _ending_of(error: BaseException) -> str:
    if isinstance(error, _Exited):
        return f"called {error}"
    if isinstance(error, SystemExit):
        return f"called sys.exit({'' if error.code is None else repr(error.code)})"
    return f"raised {type(error).__name__}: {error}".rstrip(": ")


class _Run(threading.local):
    calls: Optional["_Calls"] = None


_run = _Run()


class _Calls:
    """The calls of one thread during a run, and the thread that watches their time."""

    def __init__(self, seconds: float, own_process: bool) -> None:
        self.seconds, self.pid, self.is_in_kernel, self.was_interrupted = seconds, os.getpid(), False, False
        self.own_process, self.here = own_process, ""  # where the kernel ran, if it could have changed this process
        self.closing = ExitStack()  # what ends with the run
        self._guards_exit = "ASSAY_IN_KERNEL" not in os.environ  # the end of a process of its own is a verdict
        self._thread = threading.get_ident()
        self._is_main = threading.current_thread() is threading.main_thread()
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._began = self._processor = 0.0
        self._sent = self._delivered = 0  # signals that say that the time is up
        self._is_asynchronous = False  # whether Hung is raised in a thread, which has no signals
        self._limit, self._patience, self._longest = seconds, PATIENCE_FOR_WAITING, 0.0
        self._took = ""  # by the call whose time was up
        self._watcher = threading.Thread(target=self._watch, name="assay: time limit", daemon=True)

    def start(self) -> None:
        self._watcher.start()

    def stop(self) -> None:
        self.closing.close()
        self._stop.set()
        self._watcher.join()

    def call(self, fn: Callable[..., Any], *arguments: Any) -> Any:
        if self.is_in_kernel:  # a kernel that is judged inside of a kernel
            return fn(*arguments)
        try:
            try:
                self._begin()
                result = fn(*arguments)
            finally:
                if os.getpid() != self.pid:  # the parent answers for both
                    _originals["_exit"](0)
                self._end()
        except Hung:
            raise self._hung() from None
        except BaseException as error:
            if self.was_interrupted:  # the kernel may have turned it into another exception
                raise KeyboardInterrupt from error
            if isinstance(error, Exception):
                raise
            raise KernelEnded(f"the kernel {_ending_of(error)}") from error
        if self.was_interrupted:  # and caught it
            raise KeyboardInterrupt
        if self._took:  # and caught Hung
            raise self._hung()
        self._longest = max(self._longest, time.monotonic() - self._began)
        return result

    def _hung(self) -> KernelEnded:
        """The verdict; the next calls get less time, since shrinking calls a hanging kernel again and again."""
        self._limit = min(self.seconds, max(self.seconds / 10, 3 * self._longest))
        lost = "; threads that had begun before are not in its process: begin them in the kernel, or give own_process=False"
        return KernelEnded(f"the kernel did not return within {self._took} (time_limit gives it more){lost * lost_threads}")

    def _begin(self) -> None:
        self._took = ""
        self._processor = time.process_time()
        self._began = time.monotonic()
        self.is_in_kernel = True
        if self._guards_exit:
            _core.guard_exit(True)

    def _end(self) -> None:
        if self._guards_exit:
            _core.guard_exit(False)
        with self._lock:
            self.is_in_kernel = False
            if self._is_asynchronous:  # else Python 3.11 would wait for ever in the next function that is profiled
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), None)
                self._is_asynchronous = False
        while self._delivered < self._sent:  # the handler raises Hung here, if it did not in the kernel
            time.sleep(0.001)

    def _watch(self) -> None:
        while not self._stop.wait(min(0.2, self._limit / 4)):
            with self._lock:
                if self.is_in_kernel:
                    self._end_call_in_time()

    def _end_call_in_time(self) -> None:
        elapsed, had = time.monotonic() - self._began, time.process_time() - self._processor
        if elapsed < self._limit or (had < self._limit and elapsed < self._patience * self._limit):
            return
        if had >= self._limit:
            self._took, self._patience = f"{self._limit:g} s of processor time", PATIENCE_FOR_WAITING
        else:
            self._took = f"{self._patience * self._limit:g} s, in which it had the processor for {had:.2g} s"
            self._patience = 1.0 if had < 0.05 * elapsed else self._patience
        self._end_call()

    def _end_call(self) -> None:
        if not self._is_main:
            self._is_asynchronous = True
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(Hung))
        elif signal.getsignal(signal.SIGINT) == self.handle and self._delivered == self._sent:
            self._sent += 1
            signal.pthread_kill(self._thread, signal.SIGINT)

    former: Any = None  # the handler of SIGINT before the run

    def handle(self, number: int, frame: Any) -> None:
        """Of SIGINT, in the main thread."""
        if self._delivered < self._sent:
            self._delivered += 1
            raise Hung
        self.was_interrupted = True  # unless the former handler returns
        if callable(self.former):
            self.former(number, frame)
        elif self.former != signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        self.was_interrupted = False


_originals: Dict[str, Callable[..., Any]] = {name: getattr(os, name) for name in ("_exit", "execv", "execve")}
_patches = 0
_patches_lock = threading.Lock()


def _in_place_of(name: str) -> Callable[..., Any]:
    def ending(*arguments: Any) -> Any:
        calls = _run.calls
        if calls is None or not calls.is_in_kernel or os.getpid() != calls.pid:  # another thread, or a child that it forked
            return _originals[name](*arguments)
        raise _Exited(f"os.{name}({', '.join(repr(one) for one in arguments[:1])})")

    return ending


def _patch(by: int) -> None:
    """While some run is under way, what ends a process at once raises an exception in a kernel."""
    global _patches
    with _patches_lock:
        _patches += by
        for name, original in _originals.items():
            setattr(os, name, _in_place_of(name) if _patches else original)


@contextmanager
def kernel_calls(seconds: float = TIME_LIMIT, own_process: bool = True) -> Iterator["_Calls"]:
    """A run: while it lasts, `called` guards the calls of this thread, and kernels have processes of their own where they can
    (_own_process.py). Raises TypeError or ValueError unless `seconds` is a number above 0."""
    seconds = _numbers.real("time_limit", seconds, 0, positive=True)
    if _run.calls is not None:
        yield _run.calls
        return
    calls = _run.calls = _Calls(seconds, _numbers.flag("own_process", own_process))
    is_main = threading.current_thread() is threading.main_thread()
    calls.former = signal.signal(signal.SIGINT, calls.handle) if is_main else None
    _patch(1)
    calls.start()
    try:
        yield calls
    finally:
        calls.stop()
        _patch(-1)
        if is_main:
            signal.signal(signal.SIGINT, calls.former if calls.former is not None else signal.SIG_DFL)
        _run.calls = None


def run_of_this_thread() -> Optional["_Calls"]:
    return _run.calls


def is_in_kernel() -> bool:
    """Whether this is a kernel's call, or the process of a kernel, or one that it has started."""
    return (_run.calls is not None and _run.calls.is_in_kernel) or "ASSAY_IN_KERNEL" in os.environ


def require_outside(name: str) -> None:
    """Raises KernelEnded within a kernel, which is to compute its results and not to ask the judge."""
    if is_in_kernel():
        raise KernelEnded(f"the kernel called {name}, which computes as the judge does: expected a computation of its own")


def called(fn: Callable[..., Any], *arguments: Any) -> Any:
    """fn(*arguments), in a run. Raises KernelEnded for what is a verdict, and KeyboardInterrupt for an interrupt."""
    if _run.calls is None:
        with kernel_calls():
            return called(fn, *arguments)
    return _run.calls.call(fn, *arguments)
