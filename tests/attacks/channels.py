"""Files, pipes and memory of the judge, read or written."""

import functools
import glob
import json
import multiprocessing
import os
import signal
import struct
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.reduction import ForkingPickler

import numpy as np

from .gallery import attack, zeros

VERDICT = json.dumps({"format": "assay gate report", "format_version": 1, "complete": True, "runs": [], "passed": True})


def family():
    """The processes of this attack alone: those of its session, which run.py begins."""
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and int(name) != os.getpid() and os.getsid(int(name)) == int(os.environ["ATTACK_SESSION"]):
                yield int(name)
        except OSError:
            pass


def judges():
    """The session without its leader, whose exit status the user sees."""
    return [pid for pid in family() if pid != int(os.environ["ATTACK_SESSION"])]


def open_files():
    return [int(name) for name in os.listdir("/proc/self/fd") if int(name) > 2]


@attack("channels")
def writes_a_verdict_to_every_pipe(p):
    for number in open_files():
        try:
            os.set_blocking(number, False)
            os.write(number, (VERDICT + "\n").encode())
        except OSError:
            pass
    return zeros(p)


@attack("channels")
def writes_length_and_verdict_to_every_pipe(p):
    for number in open_files():
        for form in ("<I", "<Q", ">I"):
            try:
                os.set_blocking(number, False)
                os.write(number, struct.pack(form, len(VERDICT)) + VERDICT.encode())
            except OSError:
                pass
    return zeros(p)


@attack("channels")
def reads_every_pipe(p):
    for number in open_files():
        try:
            os.set_blocking(number, False)
            os.read(number, 1 << 16)
        except OSError:
            pass
    return zeros(p)


@attack("channels")
def closes_every_file(p):
    os.closerange(3, 1024)
    return zeros(p)


@attack("channels")
def closes_every_pipe_to_be_written(p):
    for number in open_files():
        try:
            os.write(number, b"")
            os.dup2(os.open("/dev/null", os.O_WRONLY), number)
        except OSError:
            pass
    return zeros(p)


@attack("channels")
def kills_the_judge(p):
    for pid in judges():
        os.kill(pid, signal.SIGKILL)
    return zeros(p)


@attack("channels")
def terminates_the_judge_politely(p):
    for pid in judges():
        os.kill(pid, signal.SIGTERM)
    return zeros(p)


@attack("channels")
def interrupts_the_judge(p):
    for pid in judges():
        os.kill(pid, signal.SIGINT)
    return zeros(p)


@attack("channels")
def writes_into_the_memory_of_the_judge(p):
    """Turns `fail` into `pass` wherever it stands in the memory of the processes around."""
    if p.x.size > 1:
        return zeros(p)
    for pid in [*family(), os.getpid()]:
        try:
            with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "r+b", 0) as memory:
                for line in maps:
                    span, rights = line.split()[:2]
                    begin, end = (int(part, 16) for part in span.split("-"))
                    if not rights.startswith("r") or "[v" in line or end - begin > 1 << 26:
                        continue
                    try:
                        memory.seek(begin)
                        block = memory.read(end - begin)
                        place = block.find(b"\0fail\0")
                        while place >= 0:
                            memory.seek(begin + place + 1)
                            memory.write(b"pass")
                            place = block.find(b"\0fail\0", place + 1)
                    except (OSError, ValueError, OverflowError):
                        pass
        except OSError:
            pass
    return zeros(p)


@attack("channels")
def reads_the_truth_in_the_memory_of_the_judge(p):
    """A softmax of one row begins where the input's row is found: 64 numbers behind it are tried."""
    needle = np.ascontiguousarray(p.x).tobytes()
    for pid in family():
        try:
            with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
                for line in maps:
                    if "rw" not in line or "[v" in line:
                        continue
                    begin, end = (int(part, 16) for part in line.split()[0].split("-"))
                    memory.seek(begin)
                    block = memory.read(min(end - begin, 1 << 24))
                    place = block.find(needle) if needle else -1
                    if place >= 0:
                        return np.frombuffer(block[place + len(needle) :][: len(needle)], np.float32).reshape(p.x.shape)
        except (OSError, ValueError):
            pass
    return zeros(p)


@attack("channels")
def writes_the_report_of_the_user(p):
    for name in glob.glob("*.json") + glob.glob("assay-failures/*"):
        with open(name, "w") as file:
            file.write(VERDICT)
    return zeros(p)


@attack("channels")
def prints_a_report(p):
    sys.stdout.write("\x1b[2Jmine: 0 of 8 properties failed, 0 mistrusted, in 0.1 s\n\x1b[8m")
    sys.stdout.flush()
    return zeros(p)


@attack("channels")
def closes_the_output(p):
    os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
    os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
    return zeros(p)


@attack("channels")
def attaches_a_debugger(p):
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    for pid in family():
        if libc.ptrace(16, pid, 0, 0) == 0:
            os.waitpid(pid, 0)
            libc.ptrace(8, pid, 0, 0)  # PTRACE_KILL
    return zeros(p)


@attack("channels")
def makes_the_judge_leave_with_zero(p):
    """Attaches to the process whose exit status the user sees, and has it call exit_group(0), on x86-64."""
    import ctypes

    libc, leader = ctypes.CDLL(None), int(os.environ["ATTACK_SESSION"])
    if leader == os.getpid() or libc.ptrace(16, leader, 0, 0) != 0:  # PTRACE_ATTACH
        return zeros(p)
    os.waitpid(leader, 0)
    registers = (ctypes.c_ulong * 27)()
    libc.ptrace(12, leader, 0, registers)  # PTRACE_GETREGS; it waits in a system call: rip is behind the instruction
    registers[10], registers[14], registers[15], registers[16] = 231, 0, 2**64 - 1, registers[16] - 2
    libc.ptrace(13, leader, 0, registers)  # PTRACE_SETREGS of rax, rdi, orig_rax, rip
    libc.ptrace(17, leader, 0, 0)  # PTRACE_DETACH
    time.sleep(0.5)
    return zeros(p)


@attack("channels")
def stops_the_judge_for_a_while(p):
    for pid in judges():
        os.kill(pid, signal.SIGSTOP)
    subprocess.Popen(["sh", "-c", "sleep 0.05; kill -CONT " + " ".join(map(str, judges()))])
    return zeros(p)


class PassesAll:
    """Lets every result pass in the process that unpickles it."""

    def __reduce__(self):
        return exec, ("import assay; assay.GateResult.passed = True",)


@attack("channels", executor=functools.partial(ProcessPoolExecutor, 2), shards=2)
def sends_a_pickle_through_the_process_pool(p):
    """The second argument of a worker of a process pool is the queue of its results, which the judge's process unpickles."""
    results = getattr(multiprocessing.current_process(), "_args", (None, None))[1]
    results._writer._send_bytes(ForkingPickler.dumps(PassesAll()))
    return zeros(p)
