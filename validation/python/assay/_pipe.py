"""The other end of the judge's pipes: reads calls, runs the kernel, writes answers (validation/transport/pipe/channel.h).

The judge is the program ``assay`` in a process of its own, so that neither its threads and signal handlers nor the
frameworks' get into each other's way, and so that a report is written even where a kernel ends Python.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import tempfile
import time
import traceback
from typing import Any, BinaryIO, Callable, Dict, NamedTuple, Optional, Tuple

import numpy as np

from ._arrays import Carried, bfloat16_array
from ._called import TIME_LIMIT, KernelEnded, called, kernel_calls, require_outside
from ._fork import private_files
from ._layouts import declines_layout, laid_out
from ._own_memory import Memory, SharedMemory
from ._own_process import OwnProcess
from ._program import environment, program

# Takes the options and the arrays of a call; returns the arrays of the answer.
Solve = Callable[[Dict[str, Any], Dict[str, np.ndarray]], Dict[str, Carried]]


LONGEST_TEXT = 8000  # characters that are kept of what a kernel says


class Unsupported(Exception):
    """Raised by a kernel for a problem that it does not claim to solve: the case is skipped, and counted."""


class ReturnedWrong(Exception):
    """The results of a kernel are not the results that were asked for."""


class JudgeError(RuntimeError):
    """The judge itself could not go on; the text is what it said."""


class Ended(NamedTuple):
    """How a judge ended: its exit status and its output."""

    status: int
    output: str
    errors: str
    here: str = ""  # where the kernel ran, if it could have changed this process


def _read(stream: Any, size: int) -> bytearray | None:
    data = bytearray(size)
    return data if stream.readinto(data) == size else None


def _read_message(stream: BinaryIO) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    length = _read(stream, 8)
    if length is None:
        return None
    text = _read(stream, struct.unpack("<Q", length)[0])
    if text is None:
        return None
    header = json.loads(text)
    arrays = {}
    for said in header.pop("arrays"):
        data = _read(stream, said["bytes"])
        if data is None:
            return None
        is_bfloat16 = said["dtype"] == "bfloat16"
        header["bfloat16"] = is_bfloat16 or header.get("bfloat16", False)
        array = np.frombuffer(data, "uint16" if is_bfloat16 else said["dtype"]).reshape(said["shape"])
        arrays[said["name"]] = bfloat16_array(array) if is_bfloat16 else array
    return header, arrays


def _write_message(stream: BinaryIO, header: dict[str, Any], arrays: dict[str, Carried]) -> None:
    said = [
        {"name": name, "dtype": one.dtype, "shape": one.array.shape, "bytes": one.array.nbytes}
        for name, one in arrays.items()
    ]
    text = json.dumps({**header, "arrays": said}).encode()
    stream.write(struct.pack("<Q", len(text)) + text)
    for one in arrays.values():
        stream.write(one.array.tobytes())
    stream.flush()


def in_utf8(text: str) -> str:
    """The text with '?' in the place of lone surrogates, which names of files and messages may have."""
    return text.encode(errors="replace").decode()


def text_of(error: BaseException) -> str:
    try:
        return in_utf8(shortened(str(error)))
    except BaseException as other:  # of a class of the kernel's
        return f"{type(error).__name__}, whose text raises {type(other).__name__}"


def _own_frames(error: BaseException) -> str:
    """The traceback without the frames of this package."""
    trace = error.__traceback__
    while trace is not None and os.path.dirname(trace.tb_frame.f_code.co_filename) == os.path.dirname(__file__):
        trace = trace.tb_next
    text = text_of(error)
    if len(text) > LONGEST_TEXT:  # and more, of which the traceback would make copies
        return shortened("".join(traceback.format_tb(trace)) + f"{type(error).__name__}: {text}")
    return shortened("".join(traceback.format_exception(type(error), error, trace)).rstrip())


def shortened(text: str) -> str:
    """The beginning and the end of a kernel's long text."""
    half = LONGEST_TEXT // 2
    return text if len(text) <= LONGEST_TEXT else f"{text[:half]} ... ({len(text)} characters) ... {text[-half:]}"


def _answer(
    solve: Solve,
    header: dict[str, Any],
    arrays: dict[str, np.ndarray],
    memory: Memory,
) -> tuple[dict[str, Any], list[Carried]]:
    """The kernel's results, whose `names` the header has, or what it raised in their place. An interrupt passes through."""
    layout = header.pop("strides")
    arrays = {name: laid_out(array, layout) for name, array in arrays.items()}
    memory.give(list(arrays.items()))
    before = time.process_time()
    try:
        results = called(solve, header, arrays)
    except Unsupported as error:
        return {"outcome": "unsupported", "text": text_of(error)}, []
    except (ReturnedWrong, KernelEnded) as error:
        return {"outcome": "failed", "text": text_of(error)}, []
    except (ValueError, TypeError) as error:
        if declines_layout(error, layout):
            return {"outcome": "unsupported", "text": "arrays with negative strides"}, []
        return {"outcome": "refused", "text": f"{type(error).__name__}: {text_of(error)}"}, []
    except Exception as error:
        return {"outcome": "failed", "text": in_utf8(_own_frames(error))}, []
    processor_time = time.process_time() - before
    try:
        memory.require_inputs()
        memory.take([(name, one.array) for name, one in results.items()])
    except SharedMemory as error:
        return {"outcome": "failed", "text": text_of(error)}, []
    return {"outcome": "done", "processor_time": processor_time, "names": list(results)}, list(results.values())


def judge(
    arguments: list[str],
    declaration: dict[str, Any],
    solve: Solve,
    shard: Optional[Tuple[int, int]] = None,
    time_limit: float = TIME_LIMIT,
    own_process: bool = True,
    why_here: str = "",
) -> Ended:
    """Runs the program with `arguments`, in which ``{kernel}`` stands for this end of the pipes, and answers its calls.
    Without a shard it judges all. `time_limit` is that of a call (_called.py); `why_here` why the kernel has to run in this
    process (_own_process.py).

    Raises KeyboardInterrupt, and whatever else is no Exception, once the judge has been stopped.
    """
    require_outside("assay.gate")
    call_read, call_write = os.pipe()
    answer_read, answer_write = os.pipe()
    words = [word.replace("{kernel}", f"pipe:{answer_read},{call_write}") for word in arguments]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        # Only Python handles an interrupt from the terminal: the judge has a session of its own.
        process = subprocess.Popen(
            [program(), *words],
            env=environment(shard),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            pass_fds=(answer_read, call_write),
            start_new_session=True,
        )
        os.close(answer_read)
        os.close(call_write)
        own = output.fileno(), errors.fileno()
        private_files.update(own)
        try:
            with os.fdopen(call_read, "rb") as calls, os.fdopen(answer_write, "wb") as answers, \
                    kernel_calls(time_limit, own_process) as run:  # fmt: skip
                _serve(calls, answers, declaration, solve, why_here)
        except BrokenPipeError:
            pass  # the judge has ended; its exit status says why
        except OSError as error:
            process.terminate()
            process.wait()
            raise JudgeError(f"{error}: the kernel closed the pipes to the judge") from None
        except BaseException:
            process.terminate()
            process.wait()
            raise
        finally:
            private_files.difference_update(own)
        status = process.wait()
        texts = []
        for stream in (output, errors):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
    return Ended(status, *texts, run.here)


def _serve(
    calls: BinaryIO,
    answers: BinaryIO,
    declaration: dict[str, Any],
    solve: Solve,
    why_here: str,
) -> None:
    memory = Memory()
    answer = OwnProcess(lambda header, arrays: _answer(solve, header, arrays, memory), why_here)
    while (message := _read_message(calls)) is not None:
        header, arrays = message
        if header.pop("call") == "declare":
            _write_message(answers, {"outcome": "done", "kernel": declaration}, {})
        else:
            _write_message(answers, *_named(answer, header, arrays))


def _named(
    answer: OwnProcess, header: dict[str, Any], arrays: dict[str, np.ndarray]
) -> tuple[dict[str, Any], dict[str, Carried]]:
    try:
        said, results = answer(header, arrays)
    except KernelEnded as error:
        return {"outcome": "failed", "text": text_of(error)}, {}
    return said, dict(zip(said.pop("names", ()), results))
