"""The command `assay kernelbench REFERENCE.py NEW.py`: is ModelNew right, by the Model of a problem in KernelBench's form?

It prints the table of the gate, and last one line of JSON that says what to do next. The exit status is 0 where ModelNew passed,
1 where it did not, 2 for bad usage.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .._cases import words_of_line
from .. import _numbers
from .._called import KernelEnded
from .._gate_result import GateResult, PropertyResult
from .._traced import NotTraceable
from .benchmark_modes import MODES, in_its_modes
from .device import device_called
from .in_time import judged_in_time
from .kernelbench import BenchmarkOperation, new_model
from .patterns import Pattern, pattern_on_a_case
from .random_training import why_other_in_training
from .stated import Stated, judged_at_stated_sizes
from .ways import EVALUATED, forward_ways

_ORDER = ("outputs", "exact", "repeat")  # the property that says most comes first


def _number_from(low: float, kind: Callable[[str], Any]) -> Callable[[str], Any]:
    def number(text: str) -> Any:
        value = kind(text)
        if not low <= value < math.inf:
            raise argparse.ArgumentTypeError(f"{text}: expected a finite number from {low:g}")
        return value

    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="assay kernelbench")
    parser.add_argument("reference", help="the problem: a file with Model, get_inputs and get_init_inputs")
    parser.add_argument("new", help="the answer: a file with ModelNew")
    parser.add_argument("--cases", type=_number_from(1, int), default=60, help="for each property (60)")
    parser.add_argument(
        "--seconds", type=_number_from(1, float), default=300.0, help="the time for small sizes: fewer cases where they take longer (300)"
    )
    parser.add_argument("--seed", type=_number_from(0, int), default=_numbers.seed("fresh"),
                        help="of the cases (one that nobody can foresee)")  # fmt: skip
    parser.add_argument(
        "--dtype", default="float32", choices=("float32", "float16", "bfloat16", "float64"), help="of inputs and results"
    )
    parser.add_argument("--compute", default="", help="the type of intermediate values, such as float16; by default float32")
    parser.add_argument("--largest", type=_number_from(1, float), default=2.0**40, help="the largest numbers that are tried (2^40)")
    parser.add_argument("--strides", action="store_true", help="also tensors that are not contiguous")
    parser.add_argument("--device", default="cpu", help="where the tensors are: cpu, cuda, or another that PyTorch has here")
    parser.add_argument("--small", action="store_true", help="not at the sizes that the file states")
    parser.add_argument("--mode", default="", choices=MODES, help="of ModelNew; by default both")
    parser.add_argument("--json", action="store_true", help="print the line of JSON alone")
    parser.add_argument("--replay", metavar="CASE", help="judge this case again, as a failure's line has it")
    return parser


def case_of(failure: Any, extents: Sequence[str]) -> Dict[str, Any]:
    """The smallest case, the first wrong index, what was due and what came."""
    words = words_of_line(failure.reproducer) if failure.reproducer.startswith("operation=") else {}
    sizes = {name: int(words[name]) for name in extents if name in words}
    found = re.search(r"(\w+)\[([\d, ]*)\]\n\s+exact\s+(\S+)(?:.|\n)*?got\s+(\S+)", failure.explanation)
    said: Dict[str, Any] = {"sizes": sizes}
    if found is None:
        return {**said, "error": " ".join(" ".join(failure.explanation.strip().splitlines()[:2]).split())}
    index = [int(one) for one in found[2].split(",")] if found[2].strip() else []
    return {**said, "output": found[1], "index": index, "expected": found[3], "got": found[4]}


def _first_failure(result: GateResult) -> Optional[PropertyResult]:
    failed = [one for one in result.properties if not one.passed]
    return min(failed, key=lambda one: (one.failure is None, _ORDER.index(one.name) if one.name in _ORDER else 0), default=None)


def summary(result: GateResult, pattern: Optional[Pattern], extents: Sequence[str]) -> Dict[str, Any]:
    """What an agent needs next, as JSON has it."""
    worst = _first_failure(result)
    if worst is None:
        verdict = "pass" if result.passed else "mistrusted" if result.mistrust else "nothing judged"
        return {"verdict": verdict, "cases": sum(one.cases for one in result.properties),
                "share_of_bound": max((one.worst for one in result.properties), default=0.0),
                "advice": "It is right on all cases that were tried: measure its speed." if result.passed
                else result.mistrust or "Judge more cases."}  # fmt: skip
    if worst.failure is None:
        return {"verdict": worst.verdict, "property": worst.name, "advice": worst.mistrust}
    advice = worst.failure.usual_cause or (pattern.advice if pattern else _advice_on(worst))
    return {"verdict": worst.verdict, "property": worst.name, "claim": worst.claim, "case": case_of(worst.failure, extents),
            "pattern": pattern.text if pattern else "usual numbers pass at small sizes",
            "advice": advice, "replay": worst.failure.again}  # fmt: skip


def _advice_on(worst: PropertyResult) -> str:
    if worst.name == "repeat":
        return "Equal inputs gave other bits: initialise what is accumulated into, and keep no state between calls."
    if worst.verdict == "error":
        return "Mend the error first: the kernel must take every size, stride and storage offset that the reference takes."
    return "Replay the case: its numbers are large, small or equal, its sizes odd, or its tensors not contiguous."


def _judged(operation: BenchmarkOperation, kernel: Any, asked: argparse.Namespace, declared: Dict[str, Any],
            seconds: float) -> Tuple[int, Dict[str, Any]]:  # fmt: skip
    """The exit status, and what the line of JSON says."""
    in_time = judged_in_time(
        lambda cases, reach: operation.gate(kernel, cases=cases, seed=asked.seed, reach=reach, empty=False, **declared),
        asked.cases, "", seconds, lambda said: print(f"assay kernelbench: {said}", file=sys.stderr, flush=True),
    )  # fmt: skip
    result = in_time.result
    if result is None:
        return 1, {"verdict": "nothing judged", "advice": f"No case was judged in {seconds:g} s: give it more --seconds."}
    pattern: Optional[Pattern] = None
    if not result.passed:
        try:
            pattern = pattern_on_a_case(operation, kernel)
        except Exception as error:
            pattern = Pattern(
                f"it raises {type(error).__name__}: {error}", "Mend the error first: the case is one of usual numbers."
            )
    if not asked.json:
        print(result)
    said, passed = summary(result, pattern, operation.extents), result.passed
    if passed and not asked.small:
        stated = judged_at_stated_sizes(operation, kernel, device_called(asked.device), dtype=asked.dtype, compute=asked.compute)
        if not asked.json:
            print(stated_text(stated))
        said, passed = with_stated(said, stated), stated.verdict not in ("fail", "mistrusted")
    if passed and operation.why_not_training and asked.mode != "eval":
        said, passed = _in_random_training(operation, kernel, asked, said)
    if not in_time.is_whole:
        said["cases_of_each_property"] = f"{in_time.cases} of {asked.cases}, in {seconds:g} s"
    if operation.file.narrowing is not None:
        said["width_of_layers"] = f"1/{operation.file.narrowing.factor}"
    return 0 if passed else 1, said


def _in_random_training(operation: BenchmarkOperation, kernel: Any, asked: argparse.Namespace,
                        said: Dict[str, Any]) -> Tuple[Dict[str, Any], bool]:  # fmt: skip
    why = why_other_in_training(operation, kernel, device_called(asked.device), asked.seed, asked.small)
    if not asked.json:
        print(f"in training mode, which is random: {'fail: ModelNew ' + why if why else 'means and spreads are those of Model'}")
    if not why:
        return said, True
    return {"verdict": "fail", "property": "means and spreads in training mode", "pattern": f"ModelNew {why}",
            "advice": "KernelBench calls ModelNew in training mode: it must draw as Model does there, dropout's scale included."}, False  # fmt: skip


def _called_in(operation: BenchmarkOperation) -> str:
    if operation.why_not_training:
        return f"ModelNew is called in eval mode, and for its means and spreads in training, where {operation.why_not_training}"
    if not operation.trains_kernels:
        return "ModelNew is called in eval mode:"
    also = ", and in eval mode where a failure says so" if operation.also_evaluates else ""
    return f"ModelNew is called in training mode, as by KernelBench, which calls no eval(){also}:"


def _mode_of(operation: BenchmarkOperation, said: Dict[str, Any]) -> str:
    """In which the smallest case fails."""
    way = re.search(r" way=(\d+) ", said.get("replay", ""))
    is_evaluated = way is not None and forward_ways(operation.also_evaluates, True)[int(way[1]) - 1] == EVALUATED
    return "eval" if is_evaluated else operation.mode()


def stated_text(stated: Stated) -> str:
    """What was found at the stated sizes, in words."""
    compared = f"{stated.elements} elements within {stated.difference:.2g} of float64, of the result's size"
    if stated.verdict == "pass":
        share = f"{stated.judged} elements at most {100 * stated.share:.3g} % of their bounds"
        return f"at the sizes of the file: pass, {share}; {compared}" + (f"; {stated.text}" if stated.text else "")
    if stated.verdict in ("fail", "mistrusted"):
        return f"at the sizes of the file: {stated.verdict}: {stated.text}"
    return f"at the sizes of the file: no bound: {stated.text}" + (f"; {compared}" if stated.elements else "")


def with_stated(said: Dict[str, Any], stated: Stated) -> Dict[str, Any]:
    """The line of JSON with what was found at the stated sizes."""
    found = {"verdict": stated.verdict, "judged": stated.judged, "compared": stated.elements}
    if stated.verdict == "fail":
        return {"verdict": "fail", "property": "outputs at the sizes of the file", "case": stated.case,
                "pattern": stated.text.splitlines()[0], "stated_sizes": found,
                "advice": "Small sizes pass: look at the last block, at more blocks than fit at once, at 32-bit indices, and at "
                          "what is special about these sizes."}  # fmt: skip
    if stated.verdict == "mistrusted":
        return {"verdict": "mistrusted", "property": "outputs at the sizes of the file", "pattern": stated.text,
                "stated_sizes": found,
                "advice": "Judge it where these sizes can be run, or with --dtype float64; --small leaves them out."}  # fmt: skip
    return {**said, "stated_sizes": {**found, **({"why": stated.text} if stated.text else {})}}


def kernelbench(arguments: List[str]) -> int:
    parser = _parser()
    asked = parser.parse_args(arguments)
    declared = {"dtype": asked.dtype, "compute": asked.compute, "largest": asked.largest, "contiguous": not asked.strides,
                "device": asked.device}  # fmt: skip
    try:
        device_called(asked.device)
        operations, kernel = in_its_modes(asked.reference, asked.mode), new_model(asked.new)
    except (OSError, SyntaxError, ValueError, NotTraceable) as error:
        parser.error(str(error))
    except KernelEnded as error:
        advice = f"{asked.new} is run to find ModelNew: {error}. Define the class, and end no process."
        print(json.dumps({"verdict": "error", "property": "the file of ModelNew", "advice": advice}))
        return 1
    if asked.replay is not None:
        try:
            return 0 if operations[0].replay(kernel, asked.replay, empty=False, **declared) else 1
        except (OSError, ValueError) as error:
            parser.error(f"--replay: {error}")
    said: Dict[str, Any] = {}
    for operation in operations:
        if not asked.json:
            print(_called_in(operation))
        status, said = _judged(operation, kernel, asked, declared, asked.seconds / len(operations))
        said["mode"] = _mode_of(operation, said) if status else operation.why_not_training or "both"
        if status:
            break
    print(json.dumps(said))
    return status
