"""assay.gate(operation, fn, executor=...): the report of an operation of one's own is that of one process."""

import json
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import assay
from assay import gallery
from test_executor import but_for_times, two_processes

ASKED = dict(cases=60, reach="none")


@assay.operation(x="N, D", properties="rows=N")
def doubled(xp, x):
    return x + x


def right(p):
    return p.x + p.x


def seldom_wrong(p):
    return p.x + p.x + (np.float32(1) if p.x.shape[0] == 3 else np.float32(0))


def softmax(p):
    e = np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("operation, fn", [(doubled, right), (doubled, seldom_wrong), (gallery.softmax, softmax)])
@pytest.mark.parametrize("shards", [1, 3])
def test_the_report_is_that_of_one_process(operation, fn, shards):
    one, many = (assay.gate(operation, fn, **ASKED, **on) for on in ({}, dict(executor=two_processes, shards=shards)))
    assert one.passed == (fn is not seldom_wrong)
    assert but_for_times(many) == but_for_times(one)


def test_what_is_declared_and_given_goes_to_the_workers():
    asked = dict(cases=5, filter="^outputs$", reach="none", dtype=("float32", "float16"), input={"x": np.ones((2, 3), np.float16)})
    one, many = (assay.gate(gallery.softmax, softmax, **asked, **on) for on in ({}, dict(executor=two_processes, shards=2)))
    assert one.record["runs"][0]["given"] and but_for_times(many) == but_for_times(one)


def test_finished_shards_are_taken_from_the_folder(tmp_path):
    asked = dict(**ASKED, executor=partial(ThreadPoolExecutor, 1), shards=2, resume=tmp_path)
    assert assay.gate(doubled, right, **asked).passed
    assert len(list(tmp_path.iterdir())) == 2
    for one in tmp_path.iterdir():
        report = json.loads(one.read_text())
        report["runs"][0]["kernel"] = "taken from the folder"
        one.write_text(json.dumps(report))
    assert assay.gate(doubled, right, **asked).kernel == "taken from the folder"
    assert assay.gate(doubled, right, **{**asked, "seed": 2}).kernel == "right"
    assert assay.gate(doubled, right, input={"x": np.ones((2, 3), np.float32)}, **asked).kernel == "right"


def test_a_plugin_is_judged_on_workers(tmp_path):
    source = tmp_path / "doubled.c"
    source.write_text('#include "validation/plugin/assay_formula.h"\n'
                      "int assay_forward(const char* o, const assay_array* in, size_t n, const assay_array* out, size_t m, char* s,"
                      " size_t k) {\n"
                      "  const float* x = in[0].data; float* y = out[0].data; int64_t size = 1;\n"
                      "  for (int32_t d = 0; d < in[0].dimensions; ++d) size *= in[0].shape[d];\n"
                      "  for (int64_t i = 0; i < size; ++i) y[i] = x[i] + x[i];\n"
                      "  return ASSAY_OK;\n}\n")  # fmt: skip
    path = tmp_path / "doubled.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-I", Path(__file__).parents[2], source, "-o", path], check=True)
    one, many = (assay.gate(doubled, path, **ASKED, **on) for on in ({}, dict(executor=two_processes, shards=2)))
    assert one.passed and but_for_times(many) == but_for_times(one)


def test_an_operation_that_a_worker_cannot_import_is_refused():
    here = assay.operation(x="N")(lambda xp, x: x + x)
    with pytest.raises(TypeError, match="cannot be sent to the workers"):
        assay.gate(here, right, **ASKED, executor=two_processes, shards=2)
