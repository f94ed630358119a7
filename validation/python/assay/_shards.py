"""assay.gate(..., executor=...): the shards of a run on the workers of any concurrent.futures.Executor.

A shard is a run of its own, with a report of its own (docs/reports.md): a worker that dies loses one shard at most.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import tempfile
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Callable, ContextManager, Dict, List, Sequence, Tuple, Union

from . import _numbers
from ._fingerprint import fingerprint
from ._pipe import Ended, JudgeError
from ._program import run_program

Shard = Tuple[int, int]  # its index, and how many there are
Run = Callable[[List[str], Shard], Ended]  # judges a shard, with the words of the command line

MAX_DEATHS = 3  # of workers, without a shard finished between them
_UNPICKLABLE = (pickle.PicklingError, AttributeError, TypeError)


class _WorkersDied(Exception):
    """Workers died; the text has their errors."""


def _judge_shard(run: Run, words: List[str], shard: Shard) -> Tuple[Ended, str]:
    """Judges a shard, in a worker, and returns how the program ended, and the report."""
    ended = run([*words, "--json", "-"], shard)  # a file would stay behind where the worker is killed
    return Ended(ended.status, "", ended.errors), ended.output


def _bar(total: int, done: int) -> ContextManager[Any]:
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped,import,unused-ignore]
    except ImportError:
        return nullcontext()
    bar: ContextManager[Any] = tqdm(total=total, initial=done, desc="assay gate", unit="shard", disable=None)
    return bar


class _Shards:
    """The shards of a run, and the folder of their reports, whose names tell one run from another."""

    def __init__(self, run: Run, words: List[str], kernel: str, count: int, folder: Path) -> None:
        self._run, self._words, self._count, self._folder = run, words, count, folder
        self._judged: Dict[int, str] = {}  # the reports of this call
        self._name = hashlib.sha256(repr((words, kernel, count)).encode()).hexdigest()[:16]

    def path(self, index: int) -> Path:
        return self._folder / f"{self._name}-{index}.json"

    def paths(self) -> List[str]:
        return [str(self.path(index)) for index in range(self._count)]

    def missing(self) -> List[int]:
        return [index for index in range(self._count) if not self.path(index).is_file()]

    def expect_picklable(self) -> None:
        """A process pool that could not pickle a call may wait for its workers forever when it is shut down (Python 3.11)."""
        try:
            pickle.dumps((self._run, self._words))
        except _UNPICKLABLE as error:
            raise _cannot_be_sent(error) from error

    def submit(self, executor: Executor) -> Dict["Future[Any]", int]:
        return {
            executor.submit(_judge_shard, self._run, self._words, (index, self._count)): index for index in self.missing()
        }

    def keep(self, index: int, ended: Ended, report: str) -> None:
        if ended.status not in (0, 1) or not report:
            raise JudgeError(ended.errors.strip() or f"shard {index} of {self._count} ended with status {ended.status}")
        self._judged[index] = report
        self._write(index)

    def _write(self, index: int) -> None:
        written = self.path(index).with_suffix(f".{os.getpid()}.tmp")  # so that nobody reads half a report
        written.write_text(self._judged[index])
        written.replace(self.path(index))

    def write_again(self) -> None:
        """Kernels, which have ended, may have written to the folder too."""
        for index in self._judged:
            self._write(index)


def _cannot_be_sent(error: Exception) -> TypeError:
    return TypeError(f"fn cannot be sent to the workers: define it in a module that they can import: {error}")


def _collect(shards: _Shards, executor: Executor, bar: Any) -> List[Exception]:
    """Judges the missing shards, keeps their reports as they come, and returns what workers died of."""
    deaths: List[Exception] = []
    if isinstance(executor, ProcessPoolExecutor):
        shards.expect_picklable()
    futures = shards.submit(executor)
    try:
        for future in as_completed(futures):
            try:
                ended, report = future.result()
            except _UNPICKLABLE as error:
                raise _cannot_be_sent(error) from error
            except Exception as error:  # what a kernel raises is in the report: the worker itself died
                deaths.append(error)
                continue
            shards.keep(futures[future], ended, report)
            if bar is not None:
                bar.update()
    finally:
        for future in futures:
            future.cancel()
    return deaths


def _judge_all(shards: _Shards, executor: Union[Executor, Callable[[], Executor]], bar: Any) -> None:
    """Judges the missing shards until there is none. Raises the errors of workers if they die again and again."""
    rounds = 0  # without a finished shard
    while missing := shards.missing():
        made: Any = nullcontext(executor) if isinstance(executor, Executor) else executor()
        with made as workers:
            deaths = _collect(shards, workers, bar)
        rounds = rounds + 1 if len(shards.missing()) == len(missing) else 0
        is_over = isinstance(executor, Executor) and any(isinstance(error, BrokenExecutor) for error in deaths)
        if is_over or rounds == MAX_DEATHS:
            raise _WorkersDied(f"{type(deaths[-1]).__name__}: {deaths[-1]}") from deaths[-1]


def _checked(executor: Any, count: Any) -> int:
    if not isinstance(executor, Executor) and not callable(executor):
        raise TypeError(f"executor is {type(executor).__name__}: expected a concurrent.futures.Executor, or a function that makes one")
    return _numbers.whole("shards", count, 1, 1000)


def _name_of(kernel: Sequence[Any], resume: Any) -> str:
    try:
        return fingerprint(*kernel)
    except TypeError:
        if resume is not None:
            raise
        return ""  # the folder is of this run alone


def judge_in_shards(
    run: Run, words: List[str], kernel: Sequence[Any], count: int, executor: Any, resume: Union[str, os.PathLike[str], None]
) -> Ended:
    """Judges all shards on the executor, and merges their reports: the output is JSON, the errors are the table. Finished shards are kept in the folder
    `resume`, under names that follow from `words` and from `kernel`, which is that and all else that is the caller's code.
    Raises JudgeError where workers die again and again."""
    count = _checked(executor, count)
    name = _name_of(kernel, resume)
    folder = Path(tempfile.mkdtemp(prefix="assay-shards-") if resume is None else resume)
    folder.mkdir(parents=True, exist_ok=True)
    shards = _Shards(run, words, name, count, folder)
    is_needed = resume is not None
    try:
        with _bar(count, count - len(shards.missing())) as bar:
            _judge_all(shards, executor, bar)
        shards.write_again()
        ended = run_program("merge", *shards.paths(), "--json", "-")
        return Ended(ended.returncode, ended.stdout, ended.stderr)
    except _WorkersDied as error:
        is_needed = True
        left = f"call again with resume={str(folder)!r} to judge the other {len(shards.missing())} of {count} shards"
        raise JudgeError(f"a worker died again and again, at last of {error}: {left}") from error
    finally:
        if not is_needed:
            shutil.rmtree(folder)
