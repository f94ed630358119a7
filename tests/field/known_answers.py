#!/usr/bin/env python3
"""Published kernels on the emulator, all accesses checked, against answers of NumPy: known_answers.py FOLDER [WORD...]

FOLDER holds the projects of projects.txt, owner+name, as `survey.py --projects` fetches them; a WORD chooses the cases whose
project or kernel contains it. Needs the package `assay` on the path. Prints a line for each kernel: right, with the largest
error as a share of what the case allows; wrong; or what the checks found. A case that says that its kernel is at fault has to be
found so. Exit status 1 if one is not as it should be.
"""

import pathlib
import sys
import time
import warnings

import numpy as np

from assay import metal
from answers.case import CASES
from answers import databases, hashes, images, language_models, matrices, photographs, physics, searches, transforms  # noqa: F401


def share(got, expected, within):
    """The largest error as a share of what is allowed; infinite if a number is where there should be none."""
    got, expected = np.asarray(got), np.asarray(expected)
    if got.shape != expected.shape:
        raise ValueError(f"shape {got.shape}: expected {expected.shape}")
    if within == 0:
        return 0.0 if np.array_equal(got, expected) else np.inf
    error = np.abs(got.astype(np.float64) - expected.astype(np.float64)) / within
    return np.inf if not np.all(error >= 0) else float(error.max())


def verdict(one, folder):
    """Whether it is as it should be, and in words."""
    library = metal.compile(folder / one.project.replace("/", "+") / one.file, macros=one.macros, kernel=one.kernel)
    try:
        worst = max((share(*triple) for triple in one.run(library, np.random.default_rng(1))), default=0)
    except metal.CheckError as error:
        first = error.reports[0]
        found = f"{first.check} at line {first.event.line}: {first.message}"
        return first.check == one.fault, f"{'its own fault' if first.check == one.fault else 'FOUND'}: {found}"
    if one.fault:
        is_so = one.fault == "wrong" and worst > 1
        return is_so, "its own fault: wrong numbers" if is_so else f"NOT {one.fault.upper()}"
    return worst <= 1, "right, the same bits" if worst == 0 else f"{'right' if worst <= 1 else 'WRONG'}, {100 * worst:.3g} %"


def main():
    warnings.simplefilter("ignore", metal.MetalWarning)
    folder, words = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    cases = [one for one in CASES if not words or any(word in f"{one.project} {one.kernel}" for word in words)]
    good = 0
    for one in cases:
        start = time.monotonic()
        try:
            is_good, text = verdict(one, folder)
        except (metal.CompileError, metal.MetalError, ValueError, TypeError, OSError) as error:
            is_good, text = False, f"REFUSED: {str(error).splitlines()[0]}"
        good += is_good
        print(f"{one.project} {one.kernel}: {text} ({time.monotonic() - start:.1f} s)", flush=True)
    print(f"{good} of {len(cases)} as they should be")
    return 0 if cases and good == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
