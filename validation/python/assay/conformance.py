"""What the gate says of kernels that many people use: python3 -m assay.conformance prints the table of docs/conformance.md.

Each entry is a kernel of a library with its declaration. A library that is not installed is left out, and named. With
--python, the libraries of other environments are judged too, each version in a row of its own. With --wheel, the kernels that
Apple's compiler has made of MLX or PyTorch are judged, on the emulator.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, Union

from . import _apple_kernels, gallery, released
from ._gallery_kernels import KERNELS
from ._gate import gate
from ._gate_result import GateResult, PropertyResult
from ._library_kernels import numpy_svd, scipy_svd, torch_cross_entropy, torch_ctc, torch_ctc_float64, torch_svd
from ._released_checkouts import FOLDER, REPOSITORIES


@dataclass(frozen=True)
class Entry:
    """A kernel under judgement."""

    title: str
    library: str  # the module whose version is shown
    operation: Any  # a name, or an operation of the gallery
    fn: Union[Callable[[Any], Any], str]  # or the path of a plug-in; `library` is then a name for readers
    declared: Dict[str, Any] = field(default_factory=dict)
    needs: str = ""  # a function of the library that not every version has: "torch.nn.functional.rms_norm"


_REDUCTIONS = ("none", "sum", "mean")
# Logits go through log_softmax, and their gradient comes back through it.
_CTC = dict(two_step=True, layouts=("padded", "concatenated"), reductions=_REDUCTIONS, upstream=True, zero_infinity=True)
# Without empty rows and without the error contract: what is judged is the arithmetic.
_CTC_CORE = dict(_CTC, empty=False, checks_arguments=False)
_SVD = dict(dtype=("float32", "float64"))

ENTRIES = (
    Entry("ctc_loss, all that it documents", "torch", "ctc", torch_ctc, _CTC),
    Entry("ctc_loss, as log space in float32", "torch", "ctc", torch_ctc, _CTC_CORE),
    Entry("ctc_loss, held to what float32 can do", "torch", "ctc", torch_ctc, {**_CTC_CORE, "arithmetic": "probability"}),
    Entry("ctc_loss in float64", "torch", "ctc", torch_ctc_float64, {**_CTC_CORE, "unit_roundoff": 2.0**-53}),
    Entry(
        "cross_entropy of hidden @ weight.T",
        "torch",
        "cce",
        torch_cross_entropy,
        dict(reductions=_REDUCTIONS, upstream=True, label_smoothing=True),
    ),
    Entry("linalg.svd", "torch", "svd", torch_svd, _SVD),
    Entry("linalg.svd", "numpy", "svd", numpy_svd, _SVD),
    Entry("linalg.svd, lapack_driver gesdd", "scipy", "svd", scipy_svd("gesdd"), _SVD),
    Entry("linalg.svd, lapack_driver gesvd", "scipy", "svd", scipy_svd("gesvd"), _SVD),
    *(
        Entry(title, library, getattr(gallery, operation), forward, {"backward": backward, **declared}, needs)
        for title, library, operation, forward, backward, declared, needs in KERNELS
    ),
)


def _version(entry: Entry) -> str:
    """Name and version of the library. Raises ImportError where it is not installed."""
    if isinstance(entry.fn, str):
        return entry.library
    library = importlib.import_module(entry.library)
    module, _, name = entry.needs.rpartition(".")
    if name and not hasattr(importlib.import_module(module), name):
        raise ImportError(f"{entry.library} {library.__version__} has no {name}")
    return f"{entry.library} {library.__version__}"


def judge_entry(entry: Entry, cases: int, seed: int, **options: Any) -> GateResult:
    """The gate on one entry. Raises ImportError where its library is not installed."""
    _version(entry)
    words: Dict[str, Any] = {"cases": cases, "seed": seed, **entry.declared, **options}
    return gate(entry.operation, entry.fn, **words)


def _first_words(result: PropertyResult) -> str:
    """The first lines of an explanation on one line."""
    if result.failure is None:
        return result.verdict
    lines = [" ".join(line.split()) for line in result.failure.explanation.splitlines() if line.strip()]
    exception = [line for line in lines if not line.startswith(("File ", "Traceback", "^", "~"))]
    text = "; ".join(lines[:4]) if "Traceback" not in lines[0] else exception[-1]
    return text.replace("|", "\\|")[:160]


def _worst(result: GateResult) -> str:
    passed = [one for one in result.properties if one.verdict == "pass" and not math.isnan(one.worst)]
    if not passed:
        return "-"
    worst = max(passed, key=lambda one: one.worst)
    return f"{100 * worst.worst:.1f} % ({worst.name})"


@dataclass(frozen=True)
class Row:
    """What the gate says of one entry."""

    library: str  # with its version, where it is installed
    title: str
    missing: str = ""  # why the entry was not judged
    judged: int = 0  # properties
    failed: Dict[str, str] = field(default_factory=dict)  # the failed ones, each with its first words
    worst: str = "-"


def rows(cases: int, seed: int, entries: Sequence[Entry]) -> Iterator[Row]:
    """The entries judged by this interpreter, a row for each."""
    for entry in entries:
        try:
            library = _version(entry)
        except ImportError as error:
            yield Row(entry.library, entry.title, missing=str(error))
            continue
        result = judge_entry(entry, cases, seed)
        judged = [one for one in result.properties if one.verdict != "skipped"]
        failed = {one.name: _first_words(one) for one in judged if not one.passed}
        yield Row(library, entry.title, "", len(judged), failed, _worst(result))


def rows_of(python: str, cases: int, seed: int) -> Iterator[Row]:
    """ENTRIES judged by another interpreter, which has an assay of its own. Raises RuntimeError where that fails."""
    command = [python, "-m", "assay.conformance", "--rows", "--cases", str(cases), "--seed", str(seed)]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        for line in other.stdout:
            yield Row(**json.loads(line))
    if other.returncode != 0:
        raise RuntimeError(f"{python} ended with {other.returncode}: expected an environment with assay (pip install .)")


def report(judged: Iterable[Row]) -> Iterator[str]:
    """The table and the reasons, line by line."""
    reasons: List[str] = []
    missing: List[Row] = []
    seen: Set[Tuple[str, str]] = set()
    yield "| library | kernel | properties judged | failed | worst margin of those that pass |"
    yield "|---|---|---|---|---|"
    for row in judged:
        if row.missing:
            missing.append(row)
        elif (row.library, row.title) not in seen:
            seen.add((row.library, row.title))
            names = ", ".join(row.failed) or "none"
            yield f"| {row.library} | {row.title} | {row.judged} | {names} | {row.worst} |"
            if row.failed:
                reasons.append(f"\n{row.library} {row.title}:\n")
                reasons += [f"- {name}: {words}" for name, words in row.failed.items()]
    yield from reasons
    known = {(library.split()[0], title) for library, title in seen}
    for one in {(row.library, row.title): row for row in missing}.values():
        if (one.library, one.title) not in known:
            yield f"\n`{one.library}` {one.title}: not judged ({one.missing})"


def compiled(wheels: Sequence[str], folder: Path) -> List[Entry]:
    """The compiled kernels of wheels, with their bindings in the folder. Raises ValueError and OSError."""
    entries = []
    for kernel, package, wheel in _apple_kernels.of_wheels([Path(one) for one in wheels]):
        path = kernel.write(wheel, folder)
        entries.append(Entry(kernel.title, package, kernel.operation, str(path), kernel.options(path)))
    return entries


def _compiled(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        try:
            into = Path(arguments.bindings or folder)
            into.mkdir(parents=True, exist_ok=True)
            entries = compiled(arguments.wheel, into)
        except (ValueError, OSError) as error:
            parser.error(f"--wheel: {error}")
        if arguments.bindings:
            print("\n".join(str(entry.fn) for entry in entries))
            return
        for line in report(rows(arguments.cases, arguments.seed, entries)):
            print(line.replace(f"{folder}/", ""), flush=True)


def _released(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    asked = (arguments.device, arguments.cases, arguments.seed)
    if arguments.rows:
        for row in released.found(*asked):
            print(json.dumps(asdict(row)), flush=True)
        return
    others = [released.found_in(python, *asked) for python in arguments.python]
    judged = chain.from_iterable(others) if others else released.found(*asked)
    try:
        for line in released.report(judged, arguments.json):
            print(line, flush=True)
    except (RuntimeError, OSError) as error:
        parser.error(f"--python: {error}")


def main(given: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="assay conformance", description=str(__doc__).splitlines()[0])
    parser.add_argument("--cases", type=int, default=40, help="generated cases for each property (default: 40)")
    parser.add_argument("--seed", type=int, default=1, help="of the generated cases (default: 1)")
    parser.add_argument(
        "--plugin",
        nargs=4,
        action="append",
        default=[],
        metavar=("LIBRARY", "TITLE", "OPERATION", "PATH"),
        help="a plug-in to be judged as well",
    )
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        help="an interpreter with assay and other versions of the libraries, which are judged too; may be repeated",
    )
    parser.add_argument(
        "--device",
        help="judge on this device, cpu or cuda, the functions of libraries that had faults when they were judged first",
    )
    parser.add_argument("--checkouts", metavar="DIR", help="with --device: a folder with checkouts of repositories that are no "
                        f"packages: {', '.join(REPOSITORIES)}")  # fmt: skip
    parser.add_argument(
        "--wheel",
        action="append",
        default=[],
        metavar="FILE",
        help="judge the compiled kernels of this wheel for macOS instead, mlx_metal-*.whl or torch-*.whl; may be repeated",
    )
    parser.add_argument("--bindings", metavar="FOLDER", help="with --wheel: write the bindings there, and judge nothing")
    parser.add_argument("--json", metavar="FILE", help="with --device: also the rows as JSON")
    parser.add_argument("--rows", action="store_true", help="print each row as a line of JSON, for --python")
    arguments = parser.parse_args(given)
    if arguments.checkouts:
        os.environ[FOLDER] = os.path.abspath(arguments.checkouts)
    if arguments.device:
        _released(parser, arguments)
        return 0
    if arguments.wheel:
        _compiled(parser, arguments)
        return 0
    plugins = [Entry(title, library, operation, path) for library, title, operation, path in arguments.plugin]
    own = rows(arguments.cases, arguments.seed, (*ENTRIES, *plugins))
    if arguments.rows:
        for row in own:
            print(json.dumps(asdict(row)), flush=True)
        return 0
    others = [rows_of(python, arguments.cases, arguments.seed) for python in arguments.python]
    by_entry = chain.from_iterable(zip_longest(own, *others))  # versions of one kernel beside each other
    try:
        for line in report(row for row in by_entry if row is not None):
            print(line, flush=True)
    except (RuntimeError, OSError) as error:
        parser.error(f"--python: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
