"""A fork of this process in which a kernel is called (_own_process.py).

It can neither trace other processes nor end them, and ends with this one, as do the processes that it has started.
"""

from __future__ import annotations

import gc
import os
import signal
import stat
import subprocess
import sys
import threading
import time
import warnings
from typing import BinaryIO, Callable, Optional, Set

import numpy as np

from . import _called, _core
from ._called import KernelEnded

private_files: Set[int] = set()  # regular files that a kernel's process must not have


def _close_all_but(own: Set[int]) -> None:
    """Leaves a kernel the standard outputs, `own` and regular files, as are a right kernel's and those of pytest's capture. By the
    pipe of a process pool, which runs what it is sent, it would reach the judge. Each number leads to /dev/null instead: if it were
    free, a new file might get it, and an old object close that."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in {int(one) for one in os.listdir("/proc/self/fd")} - own - {1, 2, null}:
        try:
            is_file = stat.S_ISREG(os.fstat(number).st_mode)
        except OSError:  # that of listdir, which is closed
            continue
        if number == 0 or number in private_files or not is_file:
            os.dup2(null, number, inheritable=number == 0)
    os.close(null)


class Fork:
    """The process, as subprocess.Popen has it."""

    def __init__(self, serve: Callable[[BinaryIO, BinaryIO], None]) -> None:
        self._serve, self._status = serve, None  # type: ignore[var-annotated]
        self._calls, self._answers = os.pipe(), os.pipe()
        self.pid = 0
        sys.stdout.flush()
        sys.stderr.flush()
        self._on_error = np.geterr()  # of this thread
        self._mark = _core.new_mark()  # which what the kernel starts inherits
        threads = [one for one in threading.enumerate() if one is not threading.main_thread()]
        self._has_threads = not all(one.name.startswith("assay") for one in threads)  # whose name a watcher of ours has
        # A thread of its own forks: that of the caller may have OpenMP's threads, for which libgomp would wait in the child.
        thread = threading.Thread(target=self._begin)
        thread.start()
        thread.join()
        os.close(self._calls[0])
        os.close(self._answers[1])
        if not self.pid:
            raise KernelEnded("no process could be started for the kernel")
        self.stdin, self.stdout = os.fdopen(self._calls[1], "wb"), os.fdopen(self._answers[0], "rb")

    def _begin(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python 3.12 warns of threads: they are not used in the child
            self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                self._be_child()
                status = 0
            finally:
                os._exit(status)

    def _be_child(self) -> None:
        os.setsid()
        _called.lost_threads = self._has_threads
        np.seterr(**self._on_error)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _close_all_but({self._calls[0], self._answers[1]})
        gc.freeze()  # so that no object of this process is finished twice
        os.environ["ASSAY_IN_KERNEL"] = "1"
        name, _, value = self._mark.partition("=")
        os.environ[name] = value
        _core.be_fenced(self._calls[0])
        with os.fdopen(self._calls[0], "rb") as calls, os.fdopen(self._answers[1], "wb") as answers:
            self._serve(calls, answers)

    def poll(self) -> Optional[int]:
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status

    def wait(self, timeout: Optional[float] = None) -> int:
        end = None if timeout is None else time.monotonic() + timeout
        while self.poll() is None:
            if end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired("kernel", timeout or 0)
            time.sleep(0.001)
        _core.end_marked(self._mark)
        return self._status or 0
