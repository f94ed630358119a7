"""What Apple's compiler has made of MLX and PyTorch, on this machine: a survey of their kernels.

    PYTHONPATH=build/.../validation/python python3 tests/field/apple_libraries.py survey --every 20
    PYTHONPATH=build/.../validation/python python3 tests/field/apple_libraries.py answers
    PYTHONPATH=build/.../validation/python python3 tests/field/apple_libraries.py ctc
    PYTHONPATH=build/.../validation/python python3 tests/field/apple_libraries.py judge

`survey` names the arguments of every n-th kernel of each library and compiles it with all checks; `answers` runs kernels
of MLX whose results NumPy gives, every access checked; `ctc` lets the gate judge PyTorch's CTC, whose gradient is wrong from
512 labels on; `judge` makes the rows of docs/conformance.md. Each fetches the two wheels for macOS from PyPI into --wheels,
unless they are there; nothing of them is stored in the repository. Exit status: 0 if at least 95 % compile and all answers
and verdicts are as expected, 1 if not, 77 if the wheels cannot be had.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np

import assay.metal
from assay._program import run_program
from assay.conformance import compiled, judge_entry, report, rows

VERSIONS = {"mlx-metal": "0.32.4", "torch": "2.15.0"}


def fetched(folder: Path) -> Dict[str, Path]:
    """The wheels, by the names of their packages."""
    folder.mkdir(parents=True, exist_ok=True)
    there = {name: next(folder.glob(f"{name.replace('-', '_')}-{VERSIONS[name]}-*.whl"), None) for name in VERSIONS}
    return {name: wheel or download(name, folder) for name, wheel in there.items()}


def download(package: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--platform", "macosx_14_0_arm64",
               "--python-version", "3.11", "--dest", str(folder), f"{package}=={VERSIONS[package]}"]  # fmt: skip
    ended = subprocess.run(command, capture_output=True, text=True)
    wheel = next(folder.glob(f"{package.replace('-', '_')}-{VERSIONS[package]}-*.whl"), None)
    if wheel is None:
        print(f"{package} {VERSIONS[package]} cannot be had: {ended.stderr.strip().splitlines()[-1:]}")
        sys.exit(77)
    return wheel


def names_of(library: str) -> List[str]:
    return assay.metal.load(library).function_names


def listed(library: str, kernel: str) -> Tuple[int, str]:
    """The number of arguments that are named, or -1 and why the kernel does not compile."""
    with tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "listing.json"
        ended = run_program("metal", "list", library, "--kernel", kernel, "--json", str(listing), folder=folder)
        if not listing.is_file():
            return -1, ended.stderr.strip()
        arguments = json.loads(listing.read_text())["kernels"][0]["arguments"]
        unnamed = [one for one in arguments if not one["name"] or not one["type"]]
        if unnamed:
            return -1, f"arguments without a name or a type: {unnamed}"
        ended = run_program("metal", "check", library, "--kernel", kernel, folder=folder)
        return (len(arguments), "") if ended.returncode == 0 else (-1, (ended.stdout + ended.stderr).strip())


def survey(libraries: Dict[str, Path], package: str, every: int, jobs: int) -> int:
    chosen = [(library, name) for library in numbered(libraries, package) for name in names_of(library)[::every]]
    with ThreadPoolExecutor(jobs) as pool:
        outcomes = list(pool.map(lambda one: listed(*one), chosen))
    reasons: Dict[str, int] = {}
    for (library, name), (count, why) in zip(chosen, outcomes):
        if count < 0:
            reason = why.splitlines()[0].rpartition(f"kernel {name}: ")[2]
            reasons[reason] = reasons.get(reason, 0) + 1
    right = sum(count >= 0 for count, _ in outcomes)
    arguments = sum(max(count, 0) for count, _ in outcomes)
    print(f"{right} of {len(chosen)} kernels compile ({100 * right / len(chosen):.1f} %), with {arguments} arguments named")
    for reason, count in sorted(reasons.items(), key=lambda one: -one[1]):
        print(f"  {count} {reason}")
    return 0 if right >= 0.95 * len(chosen) else 1


def numbered(libraries: Dict[str, Path], package: str) -> List[str]:
    """The libraries of a package, or of both."""
    inside = {"mlx-metal": [str(libraries["mlx-metal"])], "torch": [f"{libraries['torch']}#{n}" for n in (1, 2)]}
    return [library for name, several in inside.items() if package in ("", name) for library in several]


DTYPES = {"bool_": np.bool_, "float16": np.float16, "float32": np.float32}
DTYPES.update({f"{sign}int{bits}": np.dtype(f"{sign}int{bits}").type for sign in ("", "u") for bits in (8, 16, 32, 64)})

# Exact for small whole numbers.
BINARY: Dict[str, Callable] = {
    "Add": np.add, "Subtract": np.subtract, "Multiply": np.multiply, "Minimum": np.minimum, "Maximum": np.maximum,
    "Less": np.less, "LessEqual": np.less_equal, "Greater": np.greater, "GreaterEqual": np.greater_equal,
    "Equal": np.equal, "NotEqual": np.not_equal,
}  # fmt: skip
UNARY: Dict[str, Callable] = {"Abs": np.abs, "Negative": np.negative, "Square": np.square, "Sign": np.sign}
# These functions are right within a few units in the last place of float32.
MATHEMATICS: Dict[str, Callable] = {
    "Exp": np.exp, "Expm1": np.expm1, "Log": np.log, "Log2": np.log2, "Log10": np.log10, "Log1p": np.log1p, "Sin": np.sin,
    "Cos": np.cos, "Tan": np.tan, "Sinh": np.sinh, "Cosh": np.cosh, "Tanh": np.tanh, "Sqrt": np.sqrt, "Floor": np.floor,
    "Ceil": np.ceil, "Round": np.rint, "ArcTan": np.arctan, "ArcSinh": np.arcsinh, "Rsqrt": lambda x: 1 / np.sqrt(x),
}  # fmt: skip
COUNT = 100

Answer = Tuple[str, List[np.ndarray], np.ndarray, float]


def whole_numbers(dtype: type, seed: int, least: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(least, 11, COUNT).astype(dtype)


def answers() -> Iterator[Answer]:
    """Kernels by name, their inputs, what they must give, and how far off they may be (0: the same bits)."""
    for source in DTYPES:
        for target in DTYPES:
            x = whole_numbers(DTYPES[source], 1)
            yield f"v_copy{source}{target}", [x], x.astype(DTYPES[target]), 0
    for name, function in BINARY.items():
        for kind in set(DTYPES) - {"bool_"}:
            x, y = whole_numbers(DTYPES[kind], 2), whole_numbers(DTYPES[kind], 3)
            yield f"vv_{name}{kind}", [x, y], function(x, y), 0
    for name, function in UNARY.items():
        for kind in set(DTYPES) - {"bool_"}:
            x = whole_numbers(DTYPES[kind], 4, -5 if np.dtype(DTYPES[kind]).kind != "u" else 0)
            yield f"v_{name}{kind}{kind}", [x], function(x), 0
    for name, function in MATHEMATICS.items():
        x = np.random.default_rng(5).uniform(0.1, 3, COUNT).astype(np.float32)
        # MLX reduces the argument of expm1 by the first part of ln 2 alone, which costs 1.4e-6 for each power of two.
        yield f"v_{name}float32float32", [x], function(x.astype(np.float64)), 8e-6 if name == "Expm1" else 2e-6


def verdict(library: "assay.metal.CompiledLibrary", answer: Answer) -> Optional[str]:
    """What is wrong with a kernel's answer; nothing if it is right."""
    name, inputs, expected, tolerance = answer
    kernel = library[name]
    dtype = np.float32 if tolerance else expected.dtype
    try:
        got = kernel(*inputs, assay.metal.unset(COUNT, dtype), COUNT, grid=COUNT, group=64)
    except (ValueError, assay.metal.MetalError) as error:
        return f"{name}: {error}"
    error = np.abs(got.astype(np.float64) - expected.astype(np.float64))
    bound = tolerance * np.maximum(np.abs(expected), 1)
    is_right = np.array_equal(got, expected) if tolerance == 0 else bool((error <= bound).all())
    return None if is_right else f"{name}: {error.max()} off"


def known_answers(libraries: Dict[str, Path], jobs: int) -> int:
    library = assay.metal.load(libraries["mlx-metal"])
    chosen = [answer for answer in answers() if answer[0] in set(library.function_names)]
    with ThreadPoolExecutor(jobs) as pool:
        wrong = [one for one in pool.map(lambda answer: verdict(library, answer), chosen) if one]
    print(f"{len(chosen) - len(wrong)} of {len(chosen)} kernels of MLX give NumPy's answers, with nothing found")
    print("\n".join(wrong))
    return 1 if wrong else 0


def judged_ctc(wheel: Path) -> int:
    """0 if the gate finds PyTorch's CTC right for 511 labels, and its gradient wrong for 512, which are more states than a
    threadgroup has threads, and for one label in groups of two threads."""
    right, wrong = {"loss": "pass", "gradient": "pass"}, {"loss": "pass", "gradient": "fail"}
    expected = {"511 labels": right, "512 labels": wrong, "one label, two threads": wrong}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for entry in compiled([str(wheel)], Path(folder)):
            name, _, title = entry.title.partition(", ")
            if name == "ctc_loss" and title:
                result = judge_entry(entry, 0, 1)
                print(f"{entry.title}\n{result}")
                found[title] = {one.name: one.verdict for one in result.properties}
    return 0 if found == expected else 1


def judged_all(wheels: List[Path], cases: int) -> int:
    """Prints the rows of docs/conformance.md."""
    with tempfile.TemporaryDirectory() as folder:
        for line in report(rows(cases, 1, compiled([str(one) for one in wheels], Path(folder)))):
            print(line.replace(f"{folder}/", ""), flush=True)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["survey", "answers", "ctc", "judge"])
    parser.add_argument("--wheels", type=Path, default=Path.home() / ".cache/assay-wheels")
    parser.add_argument("--package", choices=list(WHEELS), default="", help="the survey of this one alone")
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cases", type=int, default=40, help="of judge: generated cases for each property")
    given = parser.parse_args()
    wheels = fetched(given.wheels)
    if given.what == "survey":
        return survey(wheels, given.package, given.every, given.jobs)
    if given.what == "answers":
        return known_answers(wheels, given.jobs)
    return judged_ctc(wheels["torch"]) if given.what == "ctc" else judged_all(list(wheels.values()), given.cases)


if __name__ == "__main__":
    sys.exit(main())
