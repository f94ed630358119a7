"""The judge's own reference called from inside the kernel, and what the kernel can find of it."""

import gc
import json
import subprocess
import sys

import numpy as np

import assay

from .gallery import attack, softmax, zeros

PROGRAM = """
import sys, json, numpy as np, assay
x = np.array(json.load(sys.stdin), np.float64)
print(json.dumps([float(y) for y in assay.gallery.softmax.truth(x)["outputs"][0]]))
"""


def numbers(values, p):
    return np.array([float(y) for y in np.asarray(values, dtype=object).reshape(-1)], p.x.dtype).reshape(p.x.shape)


@attack("reference")
def calls_the_enclosures(p):
    return numbers([one[1:].split()[0] for one in softmax.enclosures(p.x)[0]], p)


@attack("reference")
def calls_the_truth(p):
    return numbers(softmax.truth(p.x)["outputs"][0], p)


@attack("reference", "svd", filter="^(values|order)$", reach="none")
def calls_the_reference_of_the_svd(p):
    truth = assay.reference.svd(p.A, digits=30)
    return tuple(np.asarray(one, np.float64).astype(np.float32) for one in (truth.U, truth.S, truth.Vh))


@attack("reference", "ctc", filter="^loss$", gradient_of="logits")
def calls_the_reference_of_ctc(p):
    truth = assay.reference.ctc(
        logits=p.logits, targets=p.targets, input_lengths=p.input_lengths, target_lengths=p.target_lengths, blank=p.blank
    )
    return truth.loss.astype(np.float32), truth.gradient_float64.astype(np.float32)


@attack("reference")
def finds_the_operation_among_all_objects(p):
    for thing in gc.get_objects():
        if type(thing) is type(softmax) and getattr(thing, "name", "") == "softmax":
            return numbers(thing.truth(p.x)["outputs"][0], p)
    return zeros(p)


@attack("reference")
def asks_the_gate_of_the_operation(p):
    text = str(softmax.gate(zeros, input={"x": np.ascontiguousarray(p.x)}, cases=1, filter="outputs", reach="none"))
    y = zeros(p)
    for k, line in enumerate(line for line in text.splitlines() if line.strip().startswith("exact ")):
        y.flat[k] = float(line.split()[1])
    return y


@attack("reference")
def looks_through_the_frames_of_the_judge(p):
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            for name in ("truth", "exact", "reference", "expected", "outcome"):
                found = getattr(value, name, None)
                if isinstance(found, np.ndarray) and found.shape == p.x.shape:
                    return found
                if callable(found) and value is not assay:
                    return numbers(found(p.x)[0], p)
        frame = frame.f_back
    return zeros(p)


@attack("reference")
def gates_itself_within_the_gate(p):
    text = str(assay.gate(softmax, zeros, input={"x": np.ascontiguousarray(p.x)}, cases=1, filter="outputs", reach="none"))
    exact = [line.split()[1] for line in text.splitlines() if line.strip().startswith("exact ")]
    y = zeros(p)
    y.flat[: len(exact)] = [float(e) for e in exact]
    return y


@attack("reference")
def asks_another_python(p):
    run = subprocess.run([sys.executable, "-c", PROGRAM], input=json.dumps(p.x.tolist()), capture_output=True, text=True)
    return np.array(json.loads(run.stdout), p.x.dtype).reshape(p.x.shape)


@attack("reference")
def calls_the_compiled_module(p):
    core = sys.modules["assay._core"]
    for name in dir(core):
        if "reference" in name or "evaluate" in name or "enclos" in name:
            try:
                return numbers(getattr(core, name)(p.x), p)
            except TypeError:
                pass
    return zeros(p)
