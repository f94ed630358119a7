"""Attacks on the process of a kernel itself: forged answers, and ways out of it. Written after it was there, from its source."""

import ctypes
import gc
import json
import os
import struct
import sys
import threading

import numpy as np

import assay

from .gallery import attack, right, softmax, zeros


def leader():
    return int(os.environ["ATTACK_SESSION"])


def answers():
    """The pipe on which answers are written: of those this process has, the one that cannot be read."""
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2 and "pipe" in os.readlink(f"/proc/self/fd/{name}"):
                with open(f"/proc/self/fdinfo/{name}") as info:
                    if int(info.read().split("flags:")[1].split()[0], 8) & 3 == os.O_WRONLY:
                        return int(name)
        except OSError:
            pass
    return -1


def say(header, content=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    os.write(answers(), struct.pack("<Q", len(text)) + text + content)


def array(p, **changes):
    return {"dtype": "float32", "kind": "<f4", "shape": list(p.x.shape), **changes}


def done(*arrays, **changes):
    return {"outcome": "done", "text": "", "got": ["array"] * len(arrays), "arrays": list(arrays), **changes}


@attack("answers")
def two_answers_to_one_call(p):
    say(done(array(p)), zeros(p).astype("<f4").tobytes())
    return zeros(p)


@attack("answers", time_limit=0.1)
def answers_for_all_calls_to_come(p):
    for _ in range(20):
        say({"outcome": "unsupported", "text": "hard", "arrays": []})
    return zeros(p)


@attack("answers")
def an_outcome_of_its_own(p):
    say({"outcome": "pass", "verdict": "pass", "arrays": []})
    return zeros(p)


@attack("answers")
def an_answer_without_anything(p):
    say({})
    return zeros(p)


@attack("answers")
def a_list_in_place_of_an_answer(p):
    say([1, 2, 3])
    return zeros(p)


@attack("answers")
def a_number_in_place_of_a_result(p):
    say(done(got=[1, True, {"a": 1}]))
    return zeros(p)


@attack("answers")
def more_results_said_than_sent(p):
    say(done(got=["array", "array"]))
    return zeros(p)


@attack("answers")
def deep_json(p):
    say(b"[" * 200_000)
    return zeros(p)


@attack("answers")
def no_json(p):
    say(b"\xff\xfe pass")
    return zeros(p)


@attack("answers", time_limit=0.1)
def a_huge_header(p):
    os.write(answers(), struct.pack("<Q", 1 << 62))
    return zeros(p)


@attack("answers", time_limit=0.1)
def a_huge_array(p):
    say(done(array(p, shape=[1 << 40, 1 << 20])))
    return zeros(p)


@attack("answers")
def an_array_of_objects(p):
    say(done(array(p, kind="|O")), bytes(8 * p.x.size))
    return zeros(p)


@attack("answers")
def an_array_of_negative_shape(p):
    say(done(array(p, shape=[-1, 4])))
    return zeros(p)


@attack("answers")
def an_array_of_no_type(p):
    say(done(array(p, kind="V99999999999999999999")))
    return zeros(p)


@attack("answers")
def an_array_whose_type_runs_code(p):
    say(done(array(p, kind="__import__('os')._exit(0)")))
    return zeros(p)


@attack("answers")
def a_pickle(p):
    class Ends:
        def __reduce__(self):
            return os._exit, (0,)

    import pickle

    say(pickle.dumps(Ends()))
    return zeros(p)


@attack("answers", time_limit=0.1)
def a_thread_answers_without_end(p):
    text = json.dumps({"outcome": "unsupported", "text": "hard", "arrays": []}).encode()
    threading.Thread(
        target=lambda: [os.write(answers(), struct.pack("<Q", len(text)) + text) for _ in range(1000)], daemon=True
    ).start()
    return zeros(p)


@attack("answers", time_limit=0.1)
def half_an_answer(p):
    os.write(answers(), struct.pack("<Q", 100) + b"{")
    os._exit(0)


@attack("answers")
def closes_its_pipes(p):
    os.closerange(3, 256)
    return zeros(p)


@attack("ways out")
def writes_to_the_files_of_the_judge(p):
    for number in os.listdir(f"/proc/{os.getppid()}/fd") if os.getppid() == leader() else ():
        with open(f"/proc/{leader()}/fd/{number}", "w") as file:
            file.write("0 of 3 properties failed\n")
    return zeros(p)


@attack("ways out")
def takes_the_files_of_the_judge(p):
    libc = ctypes.CDLL(None)
    pidfd = os.pidfd_open(leader())
    for number in range(64):
        taken = libc.syscall(438, pidfd, number, 0)  # pidfd_getfd
        if taken >= 0:
            os.write(taken, b"pass\n")
    return zeros(p)


@attack("ways out")
def writes_into_the_judge_by_the_system(p):
    class Piece(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    text = ctypes.create_string_buffer(b"\xc3" * 64)
    own = Piece(ctypes.addressof(text), 64)
    for address in (id(assay.GateResult.passed.fget.__code__), id(sys.exit)):
        ctypes.CDLL(None).process_vm_writev(leader(), ctypes.byref(own), 1, ctypes.byref(Piece(address, 64)), 1, 0)
    return zeros(p)


@attack("ways out")
def limits_the_judge(p):
    import resource

    for kind, value in ((resource.RLIMIT_NOFILE, 0), (resource.RLIMIT_FSIZE, 0)):
        try:
            resource.prlimit(leader(), kind, (value, value))
        except (PermissionError, ValueError):
            pass
    return zeros(p)


@attack("ways out")
def leaves_a_daemon(p):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            import time

            time.sleep(2)  # past the end of its session; then it has nobody to write to
        os._exit(0)
    return zeros(p)


@attack("ways out")
def turns_the_guards_off(p):
    from assay import _called, _core

    _core.guard_exit(False)
    _called._run.calls.seconds = _called._run.calls._limit = 1e9
    _called._run.calls.is_in_kernel = False
    _called._run.calls.values = {0.0, 1.0}
    return zeros(p)


@attack("ways out")
def finds_the_process_object(p):
    from assay._own_process import OwnProcess

    for one in gc.get_objects():
        if isinstance(one, OwnProcess):
            one._solve = lambda *request: ({"outcome": "unsupported", "text": "x"}, [])
            one._served = None
    return zeros(p)


@attack("ways out")
def replaces_what_serves_it(p):
    from assay import _formula_calls, _own_memory

    _own_memory.Memory.take = _own_memory.Memory.require_inputs = lambda self, *given: None
    _formula_calls.KernelCall._taken = lambda self, value, due, at: np.full(due.shape, 0.5, np.float32)
    p.x.flags.writeable = True
    p.x[...] = 0
    return p.x


@attack("ways out")
def raises_what_the_judge_raises(p):
    from assay._pipe import JudgeError

    raise JudgeError("0 of 3 properties failed")


@attack("ways out")
def raises_an_interrupt_in_the_judge(p):
    import _thread

    _thread.interrupt_main()
    return zeros(p)


@attack("ways out")
def ends_the_test_that_runs_it(p):
    import pytest

    pytest.exit("all is well", returncode=0)


@attack("ways out")
def sends_the_judge_a_signal_by_a_timer(p):
    libc = ctypes.CDLL(None)
    for pid in (leader(), os.getppid()):
        libc.syscall(234, pid, pid, 15)  # tgkill
        libc.syscall(129, pid, 15, None)  # rt_sigqueueinfo
    return zeros(p)


def with_attributes(**attributes):
    def add(kernel):
        for name, value in attributes.items():
            setattr(kernel, name, value)
        return kernel

    return add


@attack("ways out")
@with_attributes(
    starts_afresh=True, takes_threads=True, is_instrumented=True, why_here="it must", path="mine.so", afresh=lambda: os._exit(0)
)
def has_the_attributes_of_a_plug_in(p):
    return zeros(p)


@attack("ways out")
@with_attributes(assay_kernel=lambda p: np.zeros_like(p.x), assay_declared={"exp_error": 1e6}, property_names=None)
def has_the_attributes_of_a_kernel_of_the_project(p):
    return zeros(p)


@attack("ways out", "svd", filter="^(order|values|reconstruction)$", cases=8)
@with_attributes(assay_kernel=lambda p: (os._exit(0)), assay_declared={"sweeps": 1000})
def is_a_kernel_of_the_project_for_the_svd(p):
    return None


@attack("ways out", softmax)
def is_right_until_it_is_shrunk(p):
    return right(p) if p.x.size < 4 else zeros(p)
