"""A fork of this process in which a kernel is called (_own_process.py).

It can neither trace other processes nor end them, and ends with this one, as do the processes that it has started.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from typing import BinaryIO, Callable, Optional, Set

import numpy as np

from . import _called, _core
from ._called import KernelEnded

private_files: Set[int] = set()  # descriptors of this process that a kernel's process closes


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
        private_files.update((self._calls[1], self._answers[0]))
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
        for number in (self._calls[1], self._answers[0], *private_files):
            try:
                os.close(number)
            except OSError:
                pass
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # else the kernel reads what is the judge's to read
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
        private_files.difference_update((self._calls[1], self._answers[0]))
        _core.end_marked(self._mark)
        return self._status or 0
