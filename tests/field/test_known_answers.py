"""known_answers.py on a kernel that is right, on one that is wrong in one element, in NaN, and out of bounds."""

import pathlib
import subprocess
import sys
import tempfile

KERNEL = """#include <metal_stdlib>
kernel void add_arrays(device const float* a, device const float* b, device float* c, uint i [[thread_position_in_grid]]) {{
  c[i] = {};
}}
"""
SUMS = {
    "a[i] + b[i]": (0, "right, the same bits"),
    "a[i] + (i == 69 ? b[0] : b[i])": (1, "WRONG, inf %"),
    "i == 3 ? NAN : a[i] + b[i]": (1, "WRONG, inf %"),
    "a[i] + b[i + 1]": (1, "FOUND: memcheck at line 3"),
    "a[i] + b": (1, "REFUSED"),
}


def main():
    script = pathlib.Path(__file__).with_name("known_answers.py")
    for text, (status, said) in SUMS.items():
        with tempfile.TemporaryDirectory() as folder:
            project = pathlib.Path(folder) / "An-GG+how2metal"
            project.mkdir()
            (project / "compute.metal").write_text(KERNEL.format(text))
            done = subprocess.run([sys.executable, script, folder, "add_arrays"], capture_output=True, text=True)
        assert done.returncode == status and said in done.stdout, f"{text}: expected '{said}' in:\n{done.stdout}{done.stderr}"


main()
