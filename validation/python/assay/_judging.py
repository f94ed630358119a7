"""How a kernel of an operation of one's own is judged: in this process, or in shards by an executor."""

from __future__ import annotations

import json
import os
import pickle
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from . import _numbers
from ._arithmetic import DTYPES, types_of
from ._called import TIME_LIMIT, kernel_calls, require_outside
from ._cases import Given, given_case, shortened, words_of_line
from ._file_kernel import attribute_of, is_path
from ._gate import MOST_CASES, expect_reach
from ._gate_result import GateResult, property_result, result_of
from ._pipe import Ended
from ._plugin import Plugin
from ._shards import Shard, judge_in_shards


def _joined(results: Sequence[GateResult], dtypes: Sequence[str]) -> GateResult:
    """The results of one kernel in several dtypes as one, each property named with its dtype."""
    if not results:
        raise ValueError("dtype is empty: expected at least one of float32, float16, bfloat16, float64")
    properties = [replace(one, name=f"{one.name} {dtype}") for result, dtype in zip(results, dtypes) for one in result.properties]
    table = "\n".join(f"{dtype}: {result.table}" for result, dtype in zip(results, dtypes))
    record = {**results[0].record, "runs": [run for result in results for run in result.record["runs"]]}
    mistrust = "\n".join(one.mistrust for one in results if one.mistrust)
    return GateResult(results[0].operation, results[0].kernel, properties, table, record, mistrust)


class Judging:
    """The part of an operation that judges kernels of it."""

    name: str
    formula: Callable[..., Any]
    made_of: Any  # what was declared for the formula
    kinds: Dict[str, str]
    subject: Callable[..., Any]
    unshared: Callable[[Any], Any]
    run_line: Callable[..., str]
    replay_line: Callable[..., str]

    def gate(self, kernel: Any = None, backward: Any = None, *, cases: int = 100, seed: Union[int, str] = 1, filter: str = "",
             reach: str = "", input: Optional[Given] = None, time_limit: float = TIME_LIMIT,
             own_process: bool = True, dtype: Union[str, Sequence[str]] = "float32", executor: Any = None,
             shards: Optional[int] = None, resume: Union[str, os.PathLike[str], None] = None, sizes: Optional[int] = None,
             seconds: Optional[float] = None, **declared: Any) -> GateResult:
        """Judges a kernel, its backward pass, or both, in each dtype; see assay.operation for what may be declared, and
        assay.gate for the other arguments.

        sizes    so many sets of extents are judged, for kernels that are compiled or tuned anew at each
        seconds  the run ends in about this time, each property having its share; one whose time ends is mistrusted
        """
        if not isinstance(dtype, (str, tuple, list)):
            raise TypeError(f"dtype = {dtype!r}: expected one of {', '.join(DTYPES)}, or several in a tuple"
                            f"{_numbers.nearest(dtype, DTYPES)}")  # fmt: skip
        asked: Dict[str, Any] = dict(cases=cases, seed=_numbers.seed(seed), filter=filter, reach=reach, input=input,
                                     time_limit=time_limit, own_process=own_process, sizes=sizes, seconds=seconds)
        if executor is not None and seconds is not None:
            raise TypeError(f"seconds = {seconds!r} is for a run in one process: expected none with an executor")
        if not isinstance(dtype, str):
            return _joined([self.gate(kernel, backward, **asked, dtype=one, executor=executor, shards=shards, resume=resume,
                                      **declared) for one in dtype], dtype)  # fmt: skip
        if kernel is None and backward is None:
            raise TypeError("the kernel is None: expected a function of the problem p, or the path of a plug-in (.so, .json)")
        declared["dtype"] = dtype
        if executor is None:
            ended = self._judged(kernel, backward, declared=declared, **asked)
        else:
            run = partial(_judge_shard, self, kernel, backward, {**asked, "declared": declared})
            digest = sha256(pickle.dumps(input)).hexdigest()
            words = ["gate", self.name, repr({**asked, "input": digest})]
            formula = attribute_of(self, "reference", self.formula)
            code = (backward if kernel is None else kernel, backward, formula, self.made_of, declared)
            ended = judge_in_shards(run, words, code, 32 if shards is None else shards, executor, resume)
        return self._result(ended, kernel, backward, declared, input)

    def left_out(self) -> str:
        """What of the reference no call varied, for the end of the table."""
        return ""

    def unproven(self, kernels: Sequence[Any]) -> str:
        """Why a pass of these would prove little, whatever they are given."""
        return ""

    def gradcheck(self, kernel: Any, **asked: Any) -> GateResult:
        """Judges a backward pass; `asked` as for gate."""
        return self.gate(None, kernel, **asked)

    def _judged(self, kernel: Any, backward: Any, *, cases: int, seed: int, filter: str, reach: str, input: Optional[Given],
                time_limit: float, own_process: bool, sizes: Optional[int], seconds: Optional[float], declared: Dict[str, Any],
                shard: Optional[Shard] = None) -> Ended:
        """The report of the run, or of a shard of it, as JSON, and the table."""
        require_outside("assay.gate")
        cases = _numbers.whole("cases", cases, 0, MOST_CASES)
        expect_reach(reach)
        sizes = 0 if sizes is None else _numbers.whole("sizes", sizes, 1, MOST_CASES)
        seconds = 0 if seconds is None else _numbers.real("seconds", seconds, 0, positive=True)
        given = [] if input is None else [given_case(self, input, declared["dtype"])]
        with ExitStack() as opened:
            kernels = [self._opened(opened, one, time_limit, declared, is_gradient)
                       for one, is_gradient in ((kernel, False), (backward, True))]  # fmt: skip
            subject = self.subject(*kernels, **declared)
            run = opened.enter_context(kernel_calls(time_limit, own_process))
            explains = any(isinstance(one, Plugin) and one.is_instrumented for one in kernels)
            report, table = subject.run(cases, seed, _numbers.text("filter", filter), reach, given, shortened, shard, sizes,
                                        seconds, explains)  # fmt: skip
            return Ended(0, report, table, run.here)

    def _opened(self, opened: ExitStack, kernel: Any, time_limit: float, declared: Dict[str, Any], is_gradient: bool) -> Any:
        """The kernel itself, or a plug-in by its path, which `opened` closes."""
        if not is_path(kernel):
            return kernel
        seconds = _numbers.real("time_limit", time_limit, 0, positive=True)
        limit = {} if seconds == TIME_LIMIT else {"seconds": seconds}  # what is compiled takes less than Python, unless said
        return opened.enter_context(closing(self.plugin(kernel, is_gradient, declared, **limit)))

    def plugin(self, path: Any, is_gradient: bool, declared: Dict[str, Any], **limit: float) -> Plugin:
        types = types_of(declared.get("dtype", "float32"), declared.get("dtypes"), self.kinds)
        return Plugin(path, self, types, is_gradient, strides=_numbers.flag("strides", declared.get("strides", False)), **limit)

    def _result(self, ended: Ended, kernel: Any, backward: Any, declared: Dict[str, Any],
                input: Optional[Given]) -> GateResult:
        report, table = json.loads(ended.output), ended.errors
        for failure in (one["failure"] for one in report["runs"][0]["properties"] if one.get("failure")):
            words = failure["reproducer"]
            is_run = words.startswith("./assay gate ")
            failure["again"] = (self.run_line(words, kernel, backward, declared, input) if is_run else
                                self.replay_line(words, kernel or backward, declared))  # fmt: skip
            table = table.replace(words, failure["again"])
        results = [property_result(one) for one in report["runs"][0]["properties"]]
        left_out = self.left_out()
        table = f"{table.rstrip()}\n{left_out}\n" if left_out else table
        result = result_of(ended, self.name, results, table, report)
        why = self.unproven([one for one in (kernel, backward) if one is not None]) if result.passed else ""
        if not why:
            return result
        report["runs"][0]["mistrust"] = why
        return result_of(ended, self.name, results, f"{table.rstrip()}\nmistrusted: {why}\n", report)

    def replay(self, fn: Any, reproducer: str, **declared: Any) -> bool:
        """Judges the case of a failure once more, prints the verdict, and returns whether it passes now."""
        cases = [words_of_line(one) for one in _numbers.text("reproducer", reproducer).split(" then ")]
        of_gradient = cases[0].get("property") == "gradient"
        if cases[0].get("property") == "algebra":
            declared["algebra"] = True
        with ExitStack() as opened, kernel_calls():
            fn = self._opened(opened, fn, TIME_LIMIT, declared, of_gradient)
            verdict, why = self.subject(None if of_gradient else fn, fn if of_gradient else None, **declared).replay(cases)
        print(f"{verdict} {cases[0]['property']}\n{why}")
        return bool(verdict == "pass")


def _judge_shard(operation: Judging, kernel: Any, backward: Any, asked: Dict[str, Any], words: List[str],
                 shard: Optional[Shard] = None) -> Ended:
    kernel, backward = operation.unshared(kernel), operation.unshared(backward)
    return operation._judged(kernel, backward, shard=shard, **asked)
