"""Exits, forks and signals, and work that is finished after the return."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np

from .gallery import attack, right, zeros

calls = []


@attack("ends")
def leaves_with_zero(p):
    os._exit(0)


@attack("ends")
def leaves_with_zero_on_the_tenth_call(p):
    calls.append(1)
    return right(p) if len(calls) < 10 else os._exit(0)


@attack("ends")
def prints_a_report_and_leaves_with_zero(p):
    print("mine: 0 of 8 properties failed, 0 mistrusted, in 0.1 s", flush=True)
    os._exit(0)


@attack("ends")
def exits_with_zero(p):
    sys.exit(0)


@attack("ends")
def raises_system_exit(p):
    raise SystemExit


@attack("ends")
def becomes_true(p):
    os.execv("/bin/true", ["true"])


@attack("ends")
def becomes_true_in_a_shell(p):
    os.execv("/bin/sh", ["sh", "-c", "exit 0"])


@attack("ends")
def aborts(p):
    os.abort()


@attack("ends")
def kills_itself(p):
    os.kill(os.getpid(), signal.SIGKILL)


@attack("ends")
def crashes(p):
    import ctypes

    ctypes.string_at(0)


@attack("ends")
def ends_on_an_alarm(p):
    signal.signal(signal.SIGALRM, lambda *arguments: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    return zeros(p)


@attack("ends")
def a_thread_leaves_with_zero(p):
    if not calls:
        calls.append(threading.Timer(0.01, os._exit, [0]))
        calls[0].start()
    return zeros(p)


@attack("ends")
def ends_when_the_gate_has_ended(p):
    import weakref

    if not calls:
        calls.append(weakref.finalize(p, os._exit, 0))
    return zeros(p)


@attack("ends")
def the_parent_leaves_and_the_child_goes_on(p):
    if not calls:
        calls.append(1)
        if os.fork() != 0:
            os._exit(0)
    return zeros(p)


@attack("ends")
def the_child_answers_too(p):
    if os.fork() == 0:
        time.sleep(0.01)
        return right(p)
    return zeros(p)


@attack("ends")
def a_child_leaves_in_the_place_of_the_test(p):
    if os.fork() == 0:
        if os.getsid(os.getppid()) == int(os.environ["ATTACK_SESSION"]):
            os.kill(os.getppid(), signal.SIGTERM)
        os._exit(0)
    return zeros(p)


@attack("ends")
def handles_every_signal_by_leaving_with_zero(p):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGPIPE, signal.SIGALRM):
        signal.signal(number, lambda *arguments: os._exit(0))
    return zeros(p)


@attack("later")
def a_thread_fills_the_array(p):
    y, answer = zeros(p), right(p)
    threading.Thread(target=lambda: (time.sleep(0.001), np.copyto(y, answer))).start()
    return y


@attack("later")
def a_thread_fills_and_clears_the_array(p):
    y, answer = zeros(p), right(p)

    def flicker():
        for _ in range(50):
            np.copyto(y, answer)
            y[...] = 0

    threading.Thread(target=flicker).start()
    return y


@attack("later")
def a_process_fills_shared_memory(p):
    import mmap

    memory = mmap.mmap(-1, max(p.x.nbytes, 4))
    if os.fork() == 0:
        memory[: p.x.nbytes] = right(p).astype(p.x.dtype).tobytes()
        os._exit(0)
    return np.frombuffer(memory, p.x.dtype, p.x.size).reshape(p.x.shape)


@attack("later")
def the_answer_of_the_call_before(p):
    answer = calls[-1] if calls and calls[-1].shape == p.x.shape else zeros(p)
    calls.append(right(p))
    return answer


@attack("later")
def a_shell_writes_the_file_that_is_mapped(p):
    import tempfile

    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(bytes(max(p.x.nbytes, 4)))
    y = np.memmap(file.name, p.x.dtype, "r+", shape=p.x.shape) if p.x.size else zeros(p)
    subprocess.Popen(["true"])
    os.unlink(file.name)
    return y
