"""A kernel in a process of its own, which answers calls on its standard input: a crash there does not end this process.

A crash or an endless loop ends that process, and those that the kernel has started, and is a verdict; the next case is
judged in a new one.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
from typing import Any, Callable, List

from . import _core

START_SECONDS = 60  # for a process to start on a busy machine, before its first answer


def started(words: List[str]) -> Any:
    """A program. Its session has all that the kernel starts, and no terminal whose interrupt could end it before this process."""
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


class Served:
    """The process, started when it is first written to."""

    def __init__(self, name: str, start: Callable[[], Any], seconds: float, start_seconds: float = START_SECONDS) -> None:
        self.name, self._start, self._seconds, self._start_seconds = name, start, seconds, start_seconds
        self._process: Any = None  # a subprocess.Popen, or what has its members
        self._buffer, self._has_answered = bytearray(), False

    @property
    def is_running(self) -> bool:
        return self._process is not None

    @property
    def is_quiet(self) -> bool:
        """Whether nothing waits to be read."""
        return not self._process or not (self._buffer or select.select([self._process.stdout], [], [], 0)[0])

    def write(self, content: bytes) -> None:
        if self._process is None:
            self._buffer, self._has_answered = bytearray(), False
            self._process = self._start()
        try:
            self._process.stdin.write(content)
            self._process.stdin.flush()
        except BrokenPipeError:
            self._ended()

    def read(self, count: int) -> bytes:
        """The next `count` bytes. Raises RuntimeError where the process ends, or does not answer in time."""
        while len(self._buffer) < count:
            self._take()
        content = bytes(self._buffer[:count])
        del self._buffer[:count]
        return content

    def read_line(self) -> bytes:
        while b"\n" not in self._buffer:
            self._take()
        return self.read(self._buffer.index(b"\n") + 1)

    def _take(self) -> None:
        pipe: Any = self._process.stdout
        seconds = self._seconds if self._has_answered else max(self._seconds, self._start_seconds)
        deadline = _core.CallDeadline(seconds, self._process.pid)
        while not select.select([pipe], [], [], deadline.milliseconds() / 1000)[0]:
            if self._process.poll() is not None:
                self._ended()  # what the kernel has started may have the pipe open
            if deadline.is_over():
                took = deadline.text()
                self._stop()
                raise RuntimeError(f"{self.name} did not return within {took}")
        part = os.read(pipe.fileno(), 1 << 20)
        if not part:
            self._ended()
        self._buffer += part
        self._has_answered = True

    def _ended(self) -> None:
        status = self._stop()
        how = signal.Signals(-status).name if status < 0 else f"status {status}, as by os._exit({status})"
        raise RuntimeError(f"{self.name} ended its process: {how}")

    def _stop(self) -> int:
        """Ends the process, and returns how it ended."""
        process, self._process = self._process, None
        if process is None:
            return 0
        try:
            process.wait(0.5)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # nobody is left
            pass
        status = process.wait()
        process.stdout.close()
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
        return status

    def close(self) -> None:
        if self._process is not None:
            self._process.stdin.close()
            self._stop()
