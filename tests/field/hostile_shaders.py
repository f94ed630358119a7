"""Gives `assay metal check` texts that nobody would write: hostile_shaders.py PROGRAM

Each text must be refused in words or run, within attack.py's limits of time and memory.
"""

import pathlib
import sys
import tempfile

from attack import run

KERNEL = b"kernel void k(device int* x) { x[0] = 1; }\n"
DEEP, LONG = 10_000, 1 << 20


def nested(opening, closing=b""):
    return b"kernel void k(device int* x) { x[0] = " + opening * DEEP + b"1" + closing * DEEP + b"; }\n"


def texts():
    return {
        "nothing": b"",
        "null bytes": KERNEL.replace(b" ", b"\0"),
        "bytes of no encoding": KERNEL.replace(b"x[0]", b"\xff\xc0\xaf"),
        "parentheses": nested(b"(", b")"),
        "open brackets": nested(b"[["),
        "casts": nested(b"(int)"),
        "angles": b"A<" * DEEP,
        "blocks": b"kernel void k(device int* x) " + b"{" * DEEP + b"}" * DEEP,
        "a long name": b"kernel void k(device int* " + b"a" * LONG + b") {}\n",
        "a long comment": b"/*" + b"c" * LONG + b"*/" + KERNEL,
        "a long error": b"#error " + b"e" * LONG,
        "an array of 2^42 bytes": b"kernel void k(device int* x) { threadgroup int a[1ul << 40]; a[0] = x[0]; }\n",
        "a constant of 2^40 bytes": b"constant char a[1ul << 40] = {1};\n" + KERNEL,
        "a file that includes itself": b'#include "k.metal"\n' + KERNEL,
        "a folder as a file": b'#include "."\n' + KERNEL,
        "a file without an end": b'#include "/dev/zero"\n' + KERNEL,
        "a crash": b"kernel void k(device int* x) { __builtin_trap(); }\n",
        "endless recursion": b"int f(int n) { return n + f(n + 1) * 3; }\nkernel void k(device int* x) { x[0] = f(1); }\n",
    }


def main():
    failures = 0
    with tempfile.TemporaryDirectory(prefix="assay-hostile-") as folder:
        for name, text in texts().items():
            place = pathlib.Path(folder) / name
            place.mkdir()
            (place / "k.metal").write_bytes(text)
            command = ["metal", "check", "k.metal", "--kernel", "k", "--buffer", "0=0", "--grid", "1", "--step-limit", "1000"]
            ending, memory = run(pathlib.Path(sys.argv[1]).resolve(), command, place)
            print(f"{name}: {ending}, {memory} MiB", flush=True)
            failures += ending not in ("passes", "is reported", "is refused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
