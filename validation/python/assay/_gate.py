"""assay.gate: a kernel that is a Python function, judged by every property."""

from __future__ import annotations

import functools
import json
import os
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from . import _numbers
from ._again import call_of, pairs_of, words_of
from ._called import TIME_LIMIT
from ._declare import declaration_of
from ._file_kernel import is_path, kernel_in
from ._gate_result import GateResult, property_result, result_of
from ._misuse import OPERATIONS, refused_operation
from ._own_kernels import is_own
from ._pipe import Ended, JudgeError as JudgeError, judge
from ._problems import solver
from ._program import run_program
from ._shards import Shard, judge_in_shards
from ._typed import judges


MOST_CASES = 100_000_000
MOST_DIGITS = 10_000  # of the reference
REACHES = ("none", "quick", "full", "thorough")


@judges
def gate(
    operation: Any,
    fn: Union[Callable[[Any], Any], str, os.PathLike[str]],
    *,
    cases: int = 100,
    seed: Union[int, str] = 1,
    digits: int = 50,
    filter: str = "",
    real_input: bool = False,
    reach: str = "",
    input: Any = None,
    executor: Any = None,
    shards: Optional[int] = None,
    resume: Union[str, os.PathLike[str], None] = None,
    time_limit: float = TIME_LIMIT,
    own_process: bool = True,
    certificate: Union[str, os.PathLike[str], None] = None,
    **declared: Any,
) -> GateResult:
    """Judges `fn` by every property of `operation`, "ctc", "cce", "svd" or one's own (assay.operation), under bounds
    derived from each problem. `operation` may also be a function or a module of PyTorch, or a function of JAX, whose inputs
    are declared here:
    assay.gate(reference, fn, x="N, D", weight="D") calls fn(x, weight) with tensors.

    `fn` is called with one CtcProblem, CceProblem or SvdProblem and returns (loss, gradient), (loss, dhidden, dweight)
    and dbias where there is a bias, or (U, S, Vh): arrays of NumPy, PyTorch, JAX, MLX or whatever has DLPack,
    ``__array__`` or a buffer. ValueError and TypeError are refusals of a bad argument, as the error contract asks for;
    assay.Unsupported skips the case; any other exception is a verdict with its traceback. Instead of a function, the path
    of a plug-in (./libmine.so, or the .json binding of a Metal shader) is judged as by `assay gate --kernel`; "mine.py:f" is
    the function of this name in a file, which is run in the process of the kernel alone and may import what is beside it.

    cases       generated cases for each property
    seed        of the generated cases: equal seeds give equal cases. "fresh": one that nobody can foresee, for kernels
                that you mistrust
    digits      decimal digits of the reference
    filter      a regular expression of the names of properties
    real_input  also on recorded speech (CTC)
    algebra     also by the property `algebra`, without a tolerance: of an operation of one's own, and of a .json binding of CTC
                or cross-entropy
    reach       "none", "quick", "full" or "thorough": also on cases of one large extent, up to 131,073 rows, classes or
                entries; "quick" unless said
    input       a batch to judge as well: the path of an .npz or, for an operation of one's own, a dict of arrays by name
    executor    a concurrent.futures.Executor, or a function that makes one: its workers judge the shards of the run
    shards      into how many shards the run is divided for the executor, 32 unless said
    resume      a folder for the reports of finished shards: a call that is repeated judges those that are missing there
    time_limit  seconds of processor time that a call of `fn` may take, 60 unless said, and six times as many by the clock
    own_process  whether `fn` is called in a process of its own where it can be, which keeps it from the judge
    certificate  a file for a certificate of bounds, of a softmax or a sum, which check_certificate.py proves
    declared    what the kernel declares: see assay.declare.keywords, or docs/python.md

    Returns a GateResult: `.passed`, `.properties`, `.failures` by name, `.table`, which print shows, and
    `.raise_for_failure()` for tests.

    Raises ValueError or TypeError for arguments, with the argument, its value and what was expected; JudgeError where the
    judge cannot go on. A kernel that is wrong, raises or hangs is a verdict, no exception.

    >>> import numpy as np
    >>> result = gate("svd", lambda p: np.linalg.svd(p.A, full_matrices=False), cases=20, filter="^order$")
    >>> result["order"].claim, result["order"].verdict
    ('S descends, and none is negative', 'pass')
    """
    is_reference = callable(operation) and not hasattr(operation, "property_names")
    if isinstance(input, str) and not input.endswith(".npz") and is_reference:
        declared, input = {"input": input, **declared}, None  # of a function of PyTorch, whose argument has this name
    fn = kernel_in(fn)
    operation, declared = _with_operation(operation, declared)
    require_operation(operation, fn)
    cases, seed, digits = _numbers.whole("cases", cases, 0, MOST_CASES), _numbers.seed(seed), _numbers.whole("digits", digits, 30, MOST_DIGITS)
    real_input, filter = _numbers.flag("real_input", real_input), _numbers.text("filter", filter)
    expect_reach(reach)
    for name, value in (("shards", shards), ("resume", resume)):
        if executor is None and value is not None:
            raise TypeError(f"{name} = {value!r} is for the shards of an executor: expected an executor with it")
    if real_input and input is not None:
        raise TypeError("real_input is a batch, and so is input: expected one of them")
    if not isinstance(operation, str):  # an operation of one's own
        if certificate is not None:  # what is imported after the kernel has run may be a file that it has written
            from ._certificate import write_certificate
        if real_input:
            raise TypeError("real_input is recorded speech, for \"ctc\": expected no such argument for one's own operation")
        result: GateResult = operation.gate(
            fn, cases=cases, seed=seed, filter=filter, reach=reach, input=input, digits=digits, time_limit=time_limit,
            own_process=own_process, executor=executor, shards=shards, resume=resume, **declared)  # fmt: skip
        if certificate is not None:
            write_certificate(operation, certificate, seed, declared)
        return result
    if certificate is not None:
        raise TypeError(f"certificate = {certificate!r} of \"{operation}\": expected a formula that is a softmax or a sum")
    if real_input and operation != "ctc":
        raise TypeError(f"real_input is recorded speech, for \"ctc\": expected no such argument for \"{operation}\"")
    if not isinstance(input, (str, os.PathLike, type(None))):
        raise TypeError(f"input = {type(input).__name__}: expected the path of an .npz for \"{operation}\"")
    follows = _numbers.flag("algebra", declared.pop("algebra", False))
    if follows and (callable(fn) or operation == "svd"):
        raise TypeError(f"algebra = True of a {operation} kernel {fn!r}: expected the .json binding of a shader, or a library "
                        "that `assay instrument` compiled, of \"ctc\" or \"cce\"")  # fmt: skip
    words = ["gate", operation, "--kernel", "{kernel}", "--cases", str(cases), "--seed", str(seed)]
    words += ["--digits", str(digits), *(["--filter", filter] if filter else []), *["--algebra"] * follows]
    words += ["--input", os.fspath(input)] if input is not None else []
    words += [*(["--reach", reach] if reach else []), "--quick" if real_input else "--generated"]
    judge_shard = functools.partial(_run, operation, fn, declared, time_limit, own_process)
    if executor is None:
        ended = judge_shard([*words, "--json", "-"])  # a file would stay behind where this process is killed
    else:
        code = (fn, _declaration(operation, fn, declared))
        ended = judge_in_shards(judge_shard, words, code, 32 if shards is None else shards, executor, resume)
    if ended.status not in (0, 1):
        raise JudgeError(ended.errors.strip() or f"the judge ended with status {ended.status}")
    report = json.loads(ended.output)
    run, table = report["runs"][0], ended.errors
    for failure in (said["failure"] for said in run["properties"] if callable(fn) and said["failure"]):
        failure["again"] = call_of(failure["reproducer"], fn, declared, digits)
        table = table.replace(failure["reproducer"], failure["again"])
    results = [property_result(said) for said in run["properties"]]
    return result_of(ended, operation, results, table, report)


def expect_reach(reach: Any) -> None:
    """Refuses what is no reach; "" is the judge's own default."""
    if reach != "":
        _numbers.one_of("reach", reach, REACHES)


def _with_operation(operation: Any, options: Dict[str, Any]) -> Tuple[Any, Dict[str, Any]]:
    from ._references import with_operation  # which takes the results from here

    return with_operation(operation, options)


def require_operation(operation: Any, kernel: Any = None) -> None:
    if operation not in OPERATIONS if isinstance(operation, str) else not hasattr(operation, "property_names"):
        raise refused_operation(operation, kernel)


def _declaration(operation: str, fn: Any, declared: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """What a function declares; None for a plug-in, which declares itself."""
    if not is_path(fn):
        return declaration_of(operation, fn, declared)
    if declared:
        raise TypeError(f"{', '.join(declared)}: a plug-in declares itself: expected no such argument for {fn!r}")
    return None


def _run(operation: str, fn: Any, declared: Dict[str, Any], time_limit: float, own_process: bool, words: List[str],
         shard: Optional[Shard] = None) -> Ended:
    """Runs the program on a function or a plug-in."""
    declaration = _declaration(operation, fn, declared)
    if declaration is not None:
        why_here = "its threads do not survive a fork" if is_own(fn) else ""
        ended = judge(words, declaration, solver(operation, fn), shard, time_limit, own_process, why_here)
        return ended._replace(here="") if is_own(fn) else ended
    ended = run_program(*(word.replace("{kernel}", os.fspath(fn)) for word in words), shard=shard)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def replay(
    fn: Callable[[Any], Any], reproducer: str, *, digits: int = 50, operation: Any = None, **declared: Any
) -> bool:
    """Judges `fn` once more on the case of a failure, prints the verdict, and returns whether the case passes now.

    `reproducer` is Failure.reproducer, or the line that a report shows; `declared` must be as it was for the gate.
    `operation` is that of assay.operation, where the kernel is of one's own.
    """
    digits, fn = _numbers.whole("digits", digits, 30, MOST_DIGITS), kernel_in(fn)
    if operation is not None:
        operation, declared = _with_operation(operation, declared)
        require_operation(operation, fn)
    if operation is not None and not isinstance(operation, str):
        return bool(operation.replay(fn, reproducer, digits=digits, **declared))
    words = pairs_of(words_of(reproducer))
    name = words.get("operation", "ctc")
    if operation is not None and name != operation:
        raise ValueError(f"operation = {operation!r}, and the reproducer has operation={name}: expected the same")
    line = " ".join(f"{key}={value}" for key, value in {**words, "kernel": "{kernel}"}.items())
    declaration = declaration_of(name, fn, declared)
    ended = judge(["replay", line, "--digits", str(digits)], declaration, solver(name, fn))
    if ended.status not in (0, 1):
        raise JudgeError(ended.errors.strip() or f"the judge ended with status {ended.status}")
    print(ended.output, end="")
    return ended.status == 0


def property_names(operation: Any, kernel: Any = None, **declared: Any) -> List[str]:
    """The properties of an operation, in the order in which a report lists them. Raises ValueError for another one.

    A library as the kernel of an operation of one's own has more of them than a function.

    >>> property_names("ctc")[:2]
    ['outside', 'inside']
    """
    require_operation(operation, kernel)
    if not isinstance(operation, str):
        return list(operation.property_names(kernel, **declared))
    ended = run_program("gate", operation, "--list")
    if ended.returncode != 0:
        raise ValueError(ended.stderr.strip())
    return [line.split()[0] for line in ended.stdout.splitlines() if line.startswith("  ")]
