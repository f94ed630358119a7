"""Attacks by plug-ins in C and by bindings of Metal shaders, which are made where `prepare` is called."""

import json
import os
import re
import subprocess
import tempfile

from .gallery import ATTACKS, FEW, softmax

HERE = os.path.dirname(__file__)
FOLDER = os.path.join(tempfile.gettempdir(), f"assay-attacks-{os.getuid()}")


class Plugin(str):
    """A path, which is made first."""

    def prepare(self):
        with open(os.path.join(HERE, "..", "..", "validation", "transport", "library", "protocol.h")) as file:
            number = re.search(r" protocol = (0x[0-9A-F']+);", file.read())[1].replace("'", "")
        self.compile("plugin.c", f"-DATTACK={os.path.basename(self)[:-3]}", f"-DPROTOCOL={number}")

    def compile(self, source, *definitions):
        os.makedirs(FOLDER, exist_ok=True)
        include = os.path.join(HERE, "..", "..", "validation", "plugin")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-w", *definitions, "-I", include, "-o", self,
                        os.path.join(HERE, source), "-lm", "-pthread"], check=True)  # fmt: skip


with open(os.path.join(HERE, "plugin.c")) as file:
    names = re.findall(r"^int (\w+)\(call\* c\)", file.read(), re.MULTILINE)
for name in names:
    ATTACKS[f"plug-in: {name}"] = (softmax, Plugin(f"{FOLDER}/{name}.so"), {**FEW, "time_limit": 0.3})

CLAIMS = {  # kernels of built-in operations that are right where they claim to be, and compute nothing
    "one_class": ("ctc", ".largest_C = 1", "0"),
    "one_class_and_noise": ("ctc", ".largest_C = 1", "1e-38f"),
    "one_class_of_zeros": ("ctc", ".largest_C = 1, .largest_activation = 1e-300", "0"),
    "one_entry": ("cce", ".largest_V = 1", "0"),
    "one_entry_and_noise": ("cce", ".largest_V = 1", "1e-45f"),
    "matrices_of_one_element": ("svd", ".largest_M = 1, .largest_N = 1", "0"),
}


class Claim(Plugin):
    def prepare(self):
        operation, claim, noise = CLAIMS[os.path.basename(self)[:-3]]
        self.compile("claims.c", f"-D{operation.upper()}", f"-DCLAIM={claim}", f"-DNOISE={noise}")


for name, (operation, *_) in CLAIMS.items():
    ATTACKS[f"plug-in: {name}"] = (operation, Claim(f"{FOLDER}/{name}.so"), {"cases": 40})

SHADER = """#include <metal_stdlib>
using namespace metal;
kernel void attack(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& D [[buffer(2)]],
                   uint i [[thread_position_in_grid]]) {{ {body} }}
"""
BODIES = {
    "writes_nothing": "",
    "writes_zeros": "y[i] = 0;",
    "returns_its_input": "y[i] = x[i];",
    "writes_its_input": "((device float*)x)[i] = 0; y[i] = 1.0f / D;",
    "looks_past_the_end": "y[i] = y[i + 1];",
    "looks_behind_the_input": "y[i] = x[i + 4096];",
    "waits_for_ever": "while (y[i] != 1) {{ }}",
    "is_uniform": "y[i] = 1.0f / D;",
    "writes_what_it_has_read": "((device float*)x)[i] = x[i]; y[i] = 0;",
    "keeps_what_is_there": "y[i] = y[i];",
    "stops_after_the_first_threads": "if (i < 16) y[i] = 1.0f / D;",
    "never_stops_on_large_rows": "for (uint k = 0; D > 3 && k < 1; k = 0) y[i] = 1; y[i] = 1.0f / D;",
}


class Binding(Plugin):
    def prepare(self):
        os.makedirs(FOLDER, exist_ok=True)
        name = os.path.basename(self)[:-5]
        with open(f"{FOLDER}/{name}.metal", "w") as text:
            text.write(SHADER.format(body=BODIES[name]))
        buffers = [{"index": 0, "array": "x"}, {"index": 1, "array": "output0"}, {"index": 2, "type": "uint", "value": "D"}]
        one = {"function": "attack", "grid": ["N * D"], "group": [32], "buffers": buffers}
        with open(self, "w") as text:
            json.dump({"operation": "softmax", "source": f"{name}.metal", "passes": [one]}, text)


for name in BODIES:
    ATTACKS[f"shader: {name}"] = (softmax, Binding(f"{FOLDER}/{name}.json"), {**FEW, "cases": 6})
