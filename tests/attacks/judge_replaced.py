"""The judge's Python functions, and Python itself, replaced while the kernel is called."""

import builtins
import gc
import json
import sys
import types

import numpy as np

import assay

from .gallery import attack, softmax, zeros


def replace_everywhere(name, value):
    """Replaces what is called so in every module of the judge."""
    for module_name, module in list(sys.modules.items()):
        if module_name.split(".")[0] == "assay" and hasattr(module, name):
            setattr(module, name, value)


@attack("judge")
def numpy_says_that_all_is_equal(p):
    np.array_equal = np.allclose = np.array_equiv = lambda *arguments, **options: True
    np.testing.assert_allclose = np.testing.assert_array_equal = lambda *arguments, **options: None
    return zeros(p)


@attack("judge")
def builtins_say_yes(p):
    builtins.all = lambda values: True
    builtins.any = lambda values: False
    builtins.abs = lambda value: 0
    return zeros(p)


@attack("judge")
def the_gate_is_another(p):
    assay.gate = lambda *arguments, **options: types.SimpleNamespace(passed=True)
    return zeros(p)


@attack("judge")
def every_result_has_passed(p):
    for module_name, module in list(sys.modules.items()):
        if module_name.split(".")[0] == "assay":
            for thing in list(vars(module).values()):
                if isinstance(thing, type) and hasattr(thing, "passed"):
                    thing.passed = True
    return zeros(p)


@attack("judge")
def every_object_with_a_verdict_has_passed(p):
    for thing in gc.get_objects():
        if isinstance(thing, type) and "passed" in vars(thing) and "assay" in thing.__module__:
            setattr(thing, "passed", True)
    return zeros(p)


@attack("judge")
def json_is_read_otherwise(p):
    load = json.loads

    def pass_all(text, *arguments, **options):
        text = text.decode() if isinstance(text, bytes) else text
        return load(text.replace('"fail"', '"pass"').replace('"error"', '"pass"'), *arguments, **options)

    json.loads = pass_all
    json.load = lambda file, **options: pass_all(file.read())
    json.JSONDecoder.decode = lambda self, text, **options: pass_all(text)
    return zeros(p)


@attack("judge")
def arrays_become_answers(p):
    import importlib

    arrays = importlib.import_module("assay._arrays")
    for name, value in list(vars(arrays).items()):
        if callable(value) and "numpy" in name:
            replace_everywhere(name, lambda result, *arguments, **options: np.full_like(p.x, 1 / max(p.x.shape[-1], 1)))
    return zeros(p)


@attack("judge")
def the_formula_is_another(p):
    softmax.formula = lambda xp, x: x * 0
    return zeros(p)


@attack("judge")
def the_code_of_the_formula_is_another(p):
    softmax.formula.__code__ = (lambda xp, x: x * 0).__code__
    return zeros(p)


@attack("judge")
def frames_are_changed(p):
    import ctypes

    frame = sys._getframe(1)
    while frame:
        for name in list(frame.f_locals):
            if name in ("failed", "error", "failure", "verdict", "status"):
                frame.f_locals[name] = None
                ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
        frame = frame.f_back
    return zeros(p)


@attack("judge")
def exits_always_with_zero(p):
    import os

    sys.exit = lambda status=0: os._exit(0)
    builtins.exit = builtins.quit = sys.exit
    builtins.SystemExit = lambda status=0: os._exit(0)
    return zeros(p)


@attack("judge")
def leaves_at_exit_with_zero(p):
    import atexit
    import os

    atexit.register(os._exit, 0)
    return zeros(p)


@attack("judge")
def the_hook_of_exceptions_leaves_with_zero(p):
    import os

    sys.excepthook = lambda *arguments: os._exit(0)
    raise RuntimeError("caught by nobody")


@attack("judge")
def a_trace_function_rewrites_returns(p):
    def trace(frame, event, argument):
        if "passed" in frame.f_code.co_name and event == "call":
            import os

            os._exit(0)
        return trace

    sys.settrace(trace)
    frame = sys._getframe()
    while frame:
        frame.f_trace = trace
        frame = frame.f_back
    return zeros(p)


@attack("judge")
def a_profile_function_leaves_with_zero(p):
    import os

    def leave(frame, event, argument):
        if event == "call" and frame.f_code.co_name in ("passed", "__str__", "raise_for_failure"):
            os._exit(0)

    sys.setprofile(leave)
    return zeros(p)


@attack("judge")
def struct_and_os_are_others(p):
    import os
    import struct

    pack = struct.pack
    struct.pack = lambda form, *values: pack(form, *[0 if isinstance(v, float) else v for v in values])
    os.waitpid = lambda pid, options=0: (pid, 0)
    os.WEXITSTATUS = os.waitstatus_to_exitcode = lambda status: 0
    return zeros(p)


@attack("judge")
def subprocesses_end_well(p):
    import subprocess

    subprocess.Popen.wait = lambda self, timeout=None: 0
    subprocess.Popen.returncode = 0
    subprocess.Popen.poll = lambda self: 0
    return zeros(p)


@attack("judge")
def the_package_is_unloaded(p):
    for name in [name for name in sys.modules if name.split(".")[0] == "assay"]:
        sys.modules[name] = types.SimpleNamespace(gate=None, passed=True)
    return zeros(p)


@attack("judge")
def numbers_of_the_judge_are_others(p):
    """Sets every float among the constants of the judge's modules to infinity: a tolerance may be among them."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "assay":
            for key, value in list(vars(module).items()):
                if isinstance(value, float):
                    setattr(module, key, float("inf"))
    return zeros(p)
