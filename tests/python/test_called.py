"""What a kernel in Python does to end the process, or to stay in it for ever, is a verdict; an interrupt ends the run."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import assay
import kernels
from assay import gallery
from assay._called import KernelEnded, called, kernel_calls


def leaves(p=None):
    sys.exit(0)


def leaves_at_once(p=None):
    os._exit(0)


def becomes_another_program(p=None):
    os.execv("/bin/true", ["true"])


def interrupts(p=None):
    raise KeyboardInterrupt


def stops(p=None):
    raise GeneratorExit


def computes_for_ever(p=None):
    while True:
        pass


def waits_for_ever(p=None):
    threading.Event().wait()


def holds_on(p=None):
    """Catches what it can."""
    for _ in range(3):
        try:
            computes_for_ever()
        except BaseException:
            pass


ENDINGS = [
    (leaves, "the kernel called sys.exit(0)"),
    (leaves_at_once, "the kernel called os._exit(0)"),
    (becomes_another_program, "the kernel called os.execv('/bin/true')"),
    (interrupts, "the kernel raised KeyboardInterrupt"),
    (stops, "the kernel raised GeneratorExit"),
    (computes_for_ever, "the kernel did not return within 0."),
]
each_ending = pytest.mark.parametrize("kernel, says", ENDINGS, ids=[one.__name__ for one, _ in ENDINGS])


@each_ending
def test_the_gate_gives_a_verdict(kernel, says):
    result = assay.gate("ctc", kernel, cases=1, filter="^loss$", reach="none", time_limit=0.2)
    assert not result.passed
    assert result["loss"].verdict == "error" and says in result.failures["loss"].explanation


@each_ending
def test_the_gate_of_a_formula_gives_a_verdict(kernel, says):
    result = assay.gate(gallery.softmax, kernel, cases=2, filter="^outputs$", reach="none", time_limit=0.2)
    assert not result.passed
    assert result["outputs"].verdict == "error" and says in result.failures["outputs"].explanation


@pytest.mark.parametrize("kernel, says", ENDINGS[:5], ids=[one.__name__ for one, _ in ENDINGS[:5]])
def test_gradcheck_gives_no_pass(kernel, says):
    assert assay.gradcheck("ctc", kernel, cases=1).verdict == "error"
    result = assay.gradcheck(lambda x: kernel(), np.array([1.0]), gradient=np.array([1.0]))
    assert result.verdict == "error" and says in str(result)


@pytest.mark.parametrize("kernel", [waits_for_ever, holds_on])
def test_a_call_that_waits_or_holds_on_is_ended_too(kernel):
    with kernel_calls(0.1), pytest.raises(KernelEnded, match="did not return within 0[.][16] s"):
        called(kernel)


def test_a_call_in_another_thread_is_ended_too():
    seen = []

    def in_thread():
        with kernel_calls(0.1):
            for kernel, _ in ENDINGS:
                try:
                    called(kernel)
                except KernelEnded as error:
                    seen.append(str(error))

    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    assert len(seen) == len(ENDINGS), seen


def test_a_kernel_that_has_hung_gets_less_time():
    with kernel_calls(0.4):
        for seconds in ("0.4", "0.04"):
            with pytest.raises(KernelEnded, match=f"within {seconds} s"):
                called(computes_for_ever)


def test_a_kernel_may_fork_processes_that_end():
    def forks():
        process = os.fork()
        if process == 0:
            os._exit(7)
        return os.waitpid(process, 0)[1] >> 8

    assert called(forks) == 7


@pytest.mark.parametrize("ends", [lambda: 7, lambda: sys.exit(3)])
def test_only_the_parent_answers_where_a_kernel_forks(ends):
    def forks():
        process = os.fork()
        return ends() if process == 0 else os.waitpid(process, 0)[1]

    assert called(forks) == 0


def test_all_is_as_before_after_a_run():
    def handler(number, frame):
        seen.append(number)

    seen, exit_before, former = [], os._exit, signal.signal(signal.SIGINT, handler)
    try:
        assert called(lambda: os.kill(os.getpid(), signal.SIGINT) or 5) == 5, "the handler has not raised"
        assert seen == [signal.SIGINT]
        assert os._exit is exit_before and signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, former)


@pytest.mark.parametrize("time_limit", [0, -1, float("nan"), "10", True, None])
def test_a_time_limit_is_a_number_above_0(time_limit):
    with pytest.raises((TypeError, ValueError), match="time_limit = .*: expected a number from 0, but not 0"):
        assay.gate(gallery.softmax, lambda p: p.x, time_limit=time_limit)


def run(program):
    """What a Python program of these lines makes of them."""
    paths = os.pathsep.join([os.path.dirname(os.path.dirname(assay.__file__)), os.path.dirname(__file__)])
    return subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": paths}, capture_output=True,
                          text=True, timeout=120, check=False)  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="needs quick_exit of the C library")
@pytest.mark.parametrize("ends", ["exit", "quick_exit"])
@pytest.mark.parametrize("gate", ["'ctc', kernel, reach='none'", "gallery.softmax, kernel, reach='none'"])
def test_the_exit_of_the_c_library_is_no_success(ends, gate):
    ended = run(f"import assay, ctypes\nfrom assay import gallery\nkernel = lambda p: ctypes.CDLL(None).{ends}(0)\nassay.gate({gate}, cases=1, own_process=False)")
    assert ended.returncode == 1
    assert "the kernel ended the process by exit(): there is no verdict" in ended.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="a kernel has a process of its own on Linux")
@pytest.mark.parametrize("operation, declared", [("ctc", {"filter": "^loss$", "reach": "none"}), (gallery.softmax, {"reach": "none"})])
@pytest.mark.parametrize("status, says", [(0, "status 0"), (3, "status 3")])
def test_the_end_of_a_process_of_its_own_is_a_verdict(operation, declared, status, says):
    result = assay.gate(operation, lambda p: ctypes.CDLL(None).exit(status), cases=1, **declared)
    assert not result.passed and any(f"ended its process: {says}" in one.explanation for one in result.failures.values())


@pytest.mark.skipif(sys.platform != "linux", reason="a kernel has a process of its own on Linux")
def test_a_kernel_cannot_read_the_input_of_the_judge():
    program = "import assay, os; from assay import gallery\n"
    program += "assay.gate(gallery.softmax, lambda p: os.read(0, 100), cases=1, reach='none'); print(os.read(0, 4))"
    paths = os.path.dirname(os.path.dirname(assay.__file__))
    ended = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": paths}, input=b"mine",
                           stdout=subprocess.PIPE, timeout=120, check=False)  # fmt: skip
    assert ended.stdout.strip() == b"b'mine'"


KERNEL_THAT_STARTS_ANOTHER = """
import assay, os, subprocess
from assay import gallery
def kernel(p):
    print(os.getpid(), subprocess.Popen(["sleep", "100"], start_new_session=True).pid, flush=True)
    while {hangs}: pass
    return p.x
assay.gate(gallery.softmax, kernel, cases=1, reach="none")
"""


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="a kernel has a process of its own on Linux")
@pytest.mark.parametrize("is_killed", [True, False])
def test_processes_of_a_kernel_end_with_the_judge(is_killed):
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(assay.__file__))}
    program = [sys.executable, "-c", KERNEL_THAT_STARTS_ANOTHER.format(hangs=is_killed)]
    with subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, text=True) as judge:
        started = [int(one) for one in judge.stdout.readline().split()]
        assert len(started) == 2 and (not is_killed or all(map(lives, started)))
        if is_killed:
            judge.kill()
    end = time.monotonic() + 30
    while any(map(lives, started)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(lives, started))


@pytest.mark.skipif(sys.platform != "linux", reason="a kernel has a process of its own on Linux")
def test_an_interrupt_ends_the_process_of_a_kernel_too():
    ended = run("""
import assay, os, signal, threading, time
from assay import gallery
def kernel(p):
    time.sleep(60)
threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    assay.gate(gallery.softmax, kernel, cases=1)
except KeyboardInterrupt:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        raise SystemExit(3)
""")
    assert ended.returncode == 3, ended.stderr


@pytest.mark.parametrize("gate", ["'ctc', kernel, reach='none'", "gallery.softmax, kernel, reach='none'"])
@pytest.mark.parametrize("then", ["import time; time.sleep(60)", "raise ValueError('x')", "raise SystemExit(0)"])
def test_an_interrupt_ends_the_run_whatever_the_kernel_makes_of_it(gate, then):
    kernel = f"""
import assay, os, signal
from assay import gallery
def kernel(p):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000000): pass
    finally:
        {then}
try:
    assay.gate({gate}, cases=1, own_process=False)
except KeyboardInterrupt:
    raise SystemExit(3)
"""
    if "sleep" in then:
        kernel = kernel.replace("finally", "except ValueError")
    ended = run(kernel)
    assert ended.returncode == 3, ended.stderr


def test_a_run_without_cases_has_not_passed():
    for result in (
        assay.gate("ctc", kernels.ctc, cases=0, reach="none", **kernels.CTC),
        assay.gate(gallery.softmax, lambda p: p.x, cases=0, reach="none"),
    ):
        assert not result.passed
        assert "nothing was judged" in str(result)
        with pytest.raises(AssertionError, match="nothing was judged"):
            result.raise_for_failure()


def test_a_file_of_mutants_that_exits_is_refused(tmp_path):
    file = tmp_path / "operations.py"
    file.write_text("import sys\nsys.exit(0)\n")
    ended = run(f"import sys, assay.__main__ as m\nsys.exit(m.mutants([{str(file)!r}]))")
    assert ended.returncode == 2 and "called sys.exit(0): expected a file that can be imported" in ended.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_mutants_that_cannot_be_printed_are_no_success(tmp_path):
    file = tmp_path / "operations.py"
    file.write_text("import assay\n@assay.operation(x='N')\ndef twice(xp, x):\n    return 2 * x\n")
    program = f"import os, sys, assay.__main__ as m\nos.dup2(os.open('/dev/full', os.O_WRONLY), 1)\nsys.exit(m.mutants([{str(file)!r}, '--cases', '2']))"
    ended = run(program)
    assert ended.returncode == 2 and "standard output cannot be written" in ended.stderr


def test_a_function_that_is_profiled_after_a_run_in_a_thread_returns():
    """Python 3.11 waits for ever where an exception for a thread was called off that was not sent."""
    text = """
import sys, threading
from assay._called import called, kernel_calls
def run():
    with kernel_calls():
        called(lambda: 3)
thread = threading.Thread(target=run)
thread.start()
thread.join()
sys.setprofile(lambda *_: None)
(lambda: 3)()
"""
    subprocess.run([sys.executable, "-c", text], check=True, timeout=120)


def test_a_process_that_has_opened_a_gpu_is_not_forked(monkeypatch, tmp_path):
    from assay import _own_process

    assert not _own_process.why_here()
    monkeypatch.setattr(_own_process, "_DRIVERS", (str(tmp_path),))
    with open(tmp_path / "driver", "w"):
        assert _own_process.why_here() == "this process has begun to use a GPU, which a fork cannot"
    assert not _own_process.why_here()


def test_a_kernel_that_waits_for_threads_of_before_is_told_where_they_are():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()
        waiting = lambda p: pool.submit(np.copy, p.x).result()
        said = assay.gate(gallery.softmax, waiting, filter="^repeat$", cases=1, time_limit=0.1).failures["repeat"].explanation
    assert "threads that had begun before are not in its process" in said


def test_long_texts_of_a_kernel_are_shortened():
    def kernel(p):
        raise RuntimeError("A" * 10_000_000 + "the end")

    said = assay.gate(gallery.softmax, kernel, filter="^repeat$", cases=1).failures["repeat"].explanation
    assert len(said) < 50_000 and "characters)" in said and "the end" in said


@pytest.mark.parametrize("dtype", ["complex128", "S3", "V12", "U3"])
def test_results_of_types_without_numbers_are_a_verdict(dtype):
    assert not assay.gate(gallery.softmax, lambda p: np.zeros(p.x.shape, dtype), filter="^repeat$", cases=1).passed


def test_a_kernel_may_move_files_between_folders_as_caches_of_compilers_do(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()

    def kernel(p):
        (tmp_path / "a" / "built").write_text("")
        os.replace(tmp_path / "a" / "built", tmp_path / "b" / "built")
        return np.zeros(p.x.shape, p.x.dtype)

    assert assay.gate(gallery.softmax, kernel, filter="^repeat$", cases=1).failures == {}


def test_what_numpy_says_of_errors_is_asked_as_in_the_callers_thread(capfd):
    with np.errstate(all="ignore"):
        assay.gate("ctc", lambda p: np.log(np.float64(-1)) * np.ones(2), cases=1, filter="^loss$", reach="none")
    assert "RuntimeWarning" not in capfd.readouterr().err
