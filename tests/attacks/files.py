"""Files of kernels that attack when they are loaded: "mine.py:mine" is run in the process of the kernel alone."""

import os
import tempfile

from .gallery import ATTACKS, FEW, softmax

FOLDER = os.path.join(tempfile.gettempdir(), f"assay-attack-files-{os.getuid()}")
TEXT = """
import atexit, builtins, os, signal, sys, threading
import numpy as np
import assay
{top}

def mine(p):
    return np.zeros_like(p.x)
"""
TOPS = {
    "leaves": "os._exit(0)",
    "exits": "sys.exit(0)",
    "leaves_at_exit": "atexit.register(os._exit, 0)",
    "leaves_by_a_thread": "threading.Timer(0.05, os._exit, [0]).start()",
    "becomes_true": "os.execv('/bin/true', ['true'])",
    "replaces_the_gate": "assay.gate = lambda *given, **named: sys.exit(0)",
    "replaces_the_result": "assay.GateResult.passed = True",
    "replaces_the_formula": "assay.gallery.softmax.formula = lambda xp, x: x * 0",
    "replaces_numpy": "np.exp = np.zeros_like",
    "replaces_the_exit": "SystemExit.__init__ = None",
    "replaces_exit_of_sys": "sys.exit = os._exit = lambda status=0: signal.raise_signal(9)",
    "loads_what_cannot_fork": "sys.modules['numba'] = sys.modules['jax'] = np",
    "sets_the_fall_back": "import assay._own_process as o; o.why_here = lambda: 'it must'; o._core.can_fence = lambda: True",
    "handles_signals": "[signal.signal(n, lambda *given: os._exit(0)) for n in (2, 15, 17)]",
    "traces": "sys.settrace(lambda frame, event, what: os._exit(0) if frame.f_code.co_name == 'passed' else None)",
    "has_no_kernel": "mine = None; del mine; sys.modules[__name__] = None",
    "raises": "raise assay.Unsupported('everything')",
    "prints_and_leaves": "print('mine: 0 of 3 properties failed, 0 mistrusted', flush=True); os._exit(0)",
}


class File(str):
    def prepare(self):
        os.makedirs(FOLDER, exist_ok=True)
        path, name = self.split(":")[0], os.path.basename(self).split(".")[0]
        with open(path, "w") as file:
            file.write(TEXT.format(top=TOPS[name]))


for name in TOPS:
    ATTACKS[f"files: {name}"] = (softmax, File(f"{FOLDER}/{name}.py:mine"), dict(FEW))
