"""assay init NAME: a file to begin with, which holds an operation, a kernel with one fault, and a test."""

from __future__ import annotations

import argparse
import keyword
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import List

TEMPLATE = '''\
"""Judges a kernel of {name}.

    python3 {name}.py      prints the verdict
    pytest {name}.py       passes where the verdict is pass
"""

import numpy as np

import assay


@assay.operation(x="N, D")  # an array called x, of any N rows and D columns
def {name}(xp, x):
    """What is true: a formula, in NumPy's names. This one is the softmax of each row; write yours in its place."""
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def kernel(p):
    """What is judged. Call your own kernel here: p.x is a NumPy array, and so is what you return."""
    x = p.x
    largest = x.max(axis=-1, keepdims=True) if x.shape[1] else np.zeros((len(x), 1), x.dtype)
    e = np.exp(x - largest)
    whole = e.shape[1] // 4 * 4 if e.shape[1] > 4 else e.shape[1]
    total = e[:, :whole].sum(axis=-1, keepdims=True)  # {planted}
    return e / total


def test_{name}():
    assay.gate({name}, kernel).raise_for_failure()


if __name__ == "__main__":
    result = assay.gate({name}, kernel)
    print(result)
    raise SystemExit(not result.passed)
'''
PLANTED = "a fault on purpose: the last 1 to 3 columns are left out. Mend it: e.sum(axis=-1, keepdims=True)"


def command_of(path: Path) -> str:
    """The command that runs the file, where the package is not installed as well."""
    package = Path(__file__).absolute().parent.parent
    where = "" if "site-packages" in package.parts or "dist-packages" in package.parts else f"PYTHONPATH={package} "
    return f"{where}{Path(sys.executable).name} {path}"


def init(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(prog="assay init", description="Writes NAME.py, a file to begin with.")
    parser.add_argument("name", metavar="NAME", help="of your operation, such as my_softmax; NAME.py must not exist")
    name = parser.parse_args(arguments).name
    if not name.isidentifier() or keyword.iskeyword(name):
        parser.error(f"NAME = {name!r}: expected a name as Python has it, such as my_softmax")
    path = Path(f"{name}.py")
    if path.exists():
        parser.error(f"{path} exists: expected a new name, so that nothing is lost")
    if find_spec(name) is not None:
        parser.error(f"NAME = {name!r}: {name}.py would hide the module of this name: expected another")
    text = TEMPLATE.format(name=name, planted=PLANTED)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        parser.error(f"{path} cannot be written: {error.strerror}")
    line = next(number for number, one in enumerate(text.splitlines(), 1) if PLANTED in one)
    print(f"{path}: a formula, a kernel and a test. Next:\n"
          f"  {command_of(path)}\n"
          f"judges the kernel, which fails, since line {line} has a fault on purpose. Mend that line, and it passes.\n"
          "Then write your own formula and kernel in their places.")  # fmt: skip
    return 0
