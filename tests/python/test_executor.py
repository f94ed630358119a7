"""assay.gate(..., executor=...): the report is that of one process, whatever dies on the way to it."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import lru_cache, partial
from pathlib import Path

import pytest

import assay
import kernels

ASKED = dict(cases=450, filter="^(loss|gradient)$", reach="none", **kernels.CTC)
two_processes = partial(ProcessPoolExecutor, 2)


def but_for_times(result):
    """The report as bytes, and the table."""
    record = json.loads(json.dumps(result.record))
    for run in record["runs"]:
        for one in run["properties"]:
            one["seconds"] = 0
    return json.dumps(record).encode(), re.sub(", in [0-9.]+ s", "", str(result))


@lru_cache(maxsize=None)
def in_one_process(fn):
    return assay.gate("ctc", fn, **ASKED)


def halved(p):
    loss, gradient = kernels.ctc(p)
    return loss, gradient / 2


def seldom_wrong(p):
    """Wrong in one case of about a hundred, so that shards go on where a single run ends."""
    loss, gradient = kernels.ctc(p)
    return (loss + 1 if loss.size and int(abs(float(loss.ravel()[0])) * 1e4) % 97 == 5 else loss), gradient


@pytest.mark.parametrize("fn", [kernels.ctc, halved, seldom_wrong])
@pytest.mark.parametrize("shards", [1, 2, 7])
def test_the_report_is_that_of_one_process_byte_for_byte(fn, shards):
    one = in_one_process(fn)
    assert one.passed == (fn is kernels.ctc)
    many = assay.gate("ctc", fn, executor=two_processes, shards=shards, **ASKED)
    assert but_for_times(many) == but_for_times(one)


def test_real_input_is_shared_out_too():
    asked = dict(cases=5, filter="^(loss|shift)$", reach="none", real_input=True, **kernels.CTC)
    one, many = (assay.gate("ctc", kernels.ctc, **asked, **on) for on in ({}, {"executor": two_processes, "shards": 5}))
    assert but_for_times(many) == but_for_times(one)


class Mortal:
    """kernels.ctc, but the first call of all ends the process of its worker."""

    __name__ = "ctc"

    def __init__(self, marker):
        self.marker = str(marker)

    def __call__(self, p):
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return kernels.ctc(p)
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_is_killed_loses_nothing(tmp_path):
    mortal = Mortal(tmp_path / "marker")
    many = assay.gate("ctc", mortal, own_process=False, executor=two_processes, shards=6, **ASKED)
    assert (tmp_path / "marker").exists()
    assert but_for_times(many) == but_for_times(in_one_process(kernels.ctc))


def test_an_executor_that_is_given_and_breaks_leaves_its_finished_shards(tmp_path):
    mortal = Mortal(tmp_path / "marker")
    with ProcessPoolExecutor(1) as pool, pytest.raises(assay.JudgeError, match="call again with resume='.*shards'") as told:
        assay.gate("ctc", mortal, own_process=False, executor=pool, shards=6, resume=tmp_path / "shards", **ASKED)
    assert "BrokenProcessPool" in str(told.value)
    many = assay.gate("ctc", mortal, own_process=False, executor=two_processes, shards=6, resume=tmp_path / "shards", **ASKED)
    assert many.passed


def dies(p):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_kernel_that_kills_every_worker_ends_the_run():
    with pytest.raises(assay.JudgeError, match="a worker died again and again, at last of BrokenProcessPool"):
        assay.gate("ctc", dies, own_process=False, executor=two_processes, shards=2, **ASKED)


HEAD = """
import sys, time
sys.path[:0] = {path!r}
import assay, kernels, test_executor
assay.gate("ctc", test_executor.slow, executor=test_executor.two_processes, shards=12, resume={folder!r}, **test_executor.ASKED)
"""


def slow(p):
    time.sleep(0.002)
    return kernels.ctc(p)


slow.__name__ = "ctc"  # so that the report is that of kernels.ctc


class Counting(ThreadPoolExecutor):
    submitted = 0

    def submit(self, *arguments, **keywords):
        Counting.submitted += 1
        return super().submit(*arguments, **keywords)


def test_what_is_finished_when_the_head_dies_is_not_judged_again(tmp_path):
    head = subprocess.Popen(
        [sys.executable, "-c", HEAD.format(path=sys.path, folder=str(tmp_path))], start_new_session=True
    )
    until = time.monotonic() + 120
    while not list(tmp_path.glob("*.json")):
        assert head.poll() is None and time.monotonic() < until
        time.sleep(0.02)
    os.killpg(head.pid, signal.SIGKILL)
    head.wait()
    finished = len(list(tmp_path.glob("*.json")))
    assert 0 < finished < 12
    many = assay.gate("ctc", slow, executor=Counting(2), shards=12, resume=tmp_path, **ASKED)
    assert Counting.submitted == 12 - finished
    assert but_for_times(many) == but_for_times(in_one_process(kernels.ctc))


def test_reports_of_another_question_are_not_taken(tmp_path):
    asked = dict(cases=20, filter="^gradient$", reach="none", executor=Counting(1), shards=2, resume=tmp_path, **kernels.CTC)
    Counting.submitted = 0
    assert assay.gate("ctc", kernels.ctc, **asked).passed
    assert not assay.gate("ctc", halved, **asked).passed
    assert assay.gate("ctc", kernels.ctc, seed=2, **asked).record["runs"][0]["seed"] == 2
    assert Counting.submitted == 6
    assert assay.gate("ctc", kernels.ctc, **asked).passed and Counting.submitted == 6


RIGHT = "from assay.numpy import svd\nSCALE = 1\ndef scale():\n    return SCALE\ndef mine(p):\n    U, S, Vh = svd(p.A)\n    return U, S * scale(), Vh\n"


@pytest.mark.parametrize("of_file", [True, False])
@pytest.mark.parametrize("old, new", [("SCALE = 1", "SCALE = 0"), ("return SCALE", "return SCALE * 0"), ("S * scale()", "S * scale() * 0")])
def test_another_kernel_of_the_name_is_judged_anew(tmp_path, of_file, old, new):
    Counting.submitted = 0
    asked = dict(cases=5, filter="^values$", reach="none", executor=Counting(1), shards=2, resume=tmp_path / "run")

    def passes(text):
        file, here = tmp_path / "mine.py", {"__name__": "notebook"}
        file.write_text(text)
        exec(text, here)  # as a cell of a notebook, which has no file
        return assay.gate("svd", f"{file}:mine" if of_file else here["mine"], **asked).passed

    assert passes(RIGHT) and passes(RIGHT) and Counting.submitted == 2
    assert not passes(RIGHT.replace(old, new)) and Counting.submitted == 4


def test_a_kernel_without_a_fingerprint_is_not_resumed(tmp_path):
    lock = threading.Lock()

    def mine(p):
        with lock:
            return kernels.ctc(p)

    asked = dict(cases=2, filter="^gradient$", reach="none", executor=Counting(1), shards=2, **kernels.CTC)
    assert assay.gate("ctc", mine, **asked).passed
    with pytest.raises(TypeError, match="resume: .* cannot be told from another kernel of its name"):
        assay.gate("ctc", mine, resume=tmp_path, **asked)


def test_a_plugin_is_judged_on_workers():
    plugin = Path(assay.__file__).parents[3] / "tests" / "plugin" / "plugins" / "minimal.so"  # of the build tree
    one, many = (assay.gate("ctc", plugin, cases=20, filter="^(loss|shift)$", reach="none", **on) for on in ({}, dict(executor=two_processes, shards=3)))
    assert but_for_times(many) == but_for_times(one)


def gate(**options):
    return lambda: assay.gate("ctc", options.pop("fn", kernels.ctc), cases=1, filter="^loss$", **options)


@pytest.mark.parametrize(
    "call, error, told",
    [
        (gate(executor=4), TypeError, "executor is int: expected a concurrent.futures.Executor, or a function"),
        (gate(executor=two_processes, shards=0), ValueError, "shards = 0: expected a whole number from 1"),
        (gate(executor=two_processes, shards=2.5), TypeError, "shards = 2.5"),
        (gate(resume="x"), TypeError, "resume = .x. is for the shards of an executor"),
        (gate(executor=two_processes, fn=lambda p: p), TypeError, "fn cannot be sent to the workers"),
        (gate(executor=two_processes, arithmetic="exact"), ValueError, "arithmetic = 'exact'"),
        (gate(executor=two_processes, digits=3), ValueError, "digits = 3: expected a whole number from 30 to 10000"),
        (lambda: assay.gate("ctc", kernels.ctc, filter="no-such", executor=two_processes), assay.JudgeError, "no property matches"),
    ],
)
def test_bad_arguments_are_named(call, error, told):
    with pytest.raises(error, match=told):
        call()


def test_a_real_dask_cluster_of_processes_whose_workers_are_killed(tmp_path, monkeypatch):
    """Needs Dask: Debian's python3-distributed, or PyPI's distributed."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # of the workers, those that replace killed ones too
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            many = assay.gate("ctc", Mortal(tmp_path / "marker"), own_process=False, executor=client.get_executor(), shards=6,
                              **ASKED)  # fmt: skip
    assert (tmp_path / "marker").exists()
    assert but_for_times(many) == but_for_times(in_one_process(kernels.ctc))


@pytest.mark.parametrize("shards", [0, 1001])
def test_too_many_shards_are_refused(shards):
    with pytest.raises(ValueError, match=f"shards = {shards}: expected a whole number from 1 to 1000"):
        assay.gate("ctc", kernels.ctc, executor=two_processes, shards=shards, **ASKED)
