"""assay.gradcheck: is a gradient right, of any differentiable function, and if not, what is wrong with it?"""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _core, _numbers
from ._again import call_of
from ._arrays import require_plain, to_numpy
from ._called import called, kernel_calls
from ._declare import declaration_of
from ._file_kernel import kernel_in, name_of
from ._gate import MOST_DIGITS, JudgeError, require_operation
from ._misuse import described
from ._operation import Operation
from ._references import with_operation
from ._pipe import judge
from ._problems import solver
from ._typed import gradchecks


@dataclass(frozen=True)
class GradcheckResult:
    """The result of a check; str() is what `assay gradcheck` prints."""

    verdict: str  # "pass", "fail", "mistrusted" (it cannot be decided), "skipped" or "error"
    worst: float  # the largest error as a share of its bound; above 1, or NaN, fails
    place: str  # where: "gradient[2, 0]"
    patterns: List[str]  # what the wrong elements have in common
    variable: str  # "this is dL/dlogits, you declared dL/dlog_probs", or nothing
    explanation: str
    text: str = field(repr=False)
    record: Dict[str, Any] = field(repr=False)  # the whole record: validation/gradcheck/record.h

    @property
    def passed(self) -> bool:
        return self.verdict == "pass"

    def __str__(self) -> str:
        return self.text

    def raise_for_failure(self) -> None:
        """Raises AssertionError with the text unless the gradient is right."""
        if not self.passed:
            raise AssertionError(self.text)


def _result(said: Dict[str, Any], text: str) -> GradcheckResult:
    return GradcheckResult(
        verdict=said["verdict"],
        worst=float(said["worst_share"]),  # a number, or "nan" or "inf"
        place=said["worst_place"],
        patterns=said["patterns"],
        variable=said["variable"],
        explanation=said["explanation"],
        text=text,
        record=said,
    )


def _of_kernel(
    operation: str, fn: Callable[[Any], Any], cases: int, seed: int, precision: Dict[str, int], **declared: Any
) -> GradcheckResult:
    declaration = declaration_of(operation, fn, declared)
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        path = Path(folder) / "record.json"
        words = ["gradcheck", operation, "--kernel", "{kernel}", "--cases", str(cases), "--seed", str(seed)]
        words += [word for name, digits in precision.items() for word in (f"--{name}", str(digits))]
        ended = judge([*words, "--json", str(path)], declaration, solver(operation, fn))
        if not path.is_file():
            raise JudgeError(ended.errors.strip() or f"the judge ended with status {ended.status}")
        said, text = json.loads(path.read_text()), ended.output
    if said["reproducer"]:
        again = call_of(said["reproducer"], fn, declared, **precision)
        text, said["reproducer"] = text.replace(said["reproducer"], again), again
    return _result(said, text)


def _reals(values: Sequence[Any], shape: Tuple[int, ...]) -> np.ndarray:
    array = np.empty(len(values), object)
    array[:] = [value if isinstance(value, _core.Real) else _core.Real(value) for value in values]
    return array.reshape(shape)


def _scalar(value: Any) -> Any:
    """The element of a result of one element: a number, or an array of any framework."""
    if isinstance(value, (_core.Real, float, int, np.generic)):
        return value
    array = to_numpy(value)
    if array.size != 1:
        raise ValueError(f"fn returned {list(array.shape)}: expected one number")
    return array.reshape(-1)[0]


def _as_input(value: Any) -> np.ndarray:
    """An array as it is, a NumPy scalar in its own type, a number or a list of numbers in float64."""
    if isinstance(value, np.generic):
        return np.asarray(value)
    try:
        return np.asarray(value, np.float64) if isinstance(value, (float, int, list)) else to_numpy(value)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"inputs has {described(value)}: expected an array, a number or a list of arrays ({error}); of a reference in "
                   "PyTorch or JAX and its kernel, also the extents of its inputs, x=\"N, D\"") from None  # fmt: skip


class _Function:
    """fn of several arrays as a function of one of them, its elements in a row."""

    def __init__(self, fn: Callable[..., Any], inputs: List[np.ndarray], which: int, returns_gradient: bool) -> None:
        self._fn, self._inputs, self._which, self._returns_gradient = fn, inputs, which, returns_gradient

    def _call(self, inputs: List[np.ndarray]) -> Any:
        returned = called(self._fn, *inputs)
        return _scalar(returned[0] if self._returns_gradient else returned)

    def exact(self, elements: Sequence[Any]) -> Any:
        inputs = [_reals(one.ravel().tolist(), one.shape) for one in self._inputs]
        inputs[self._which] = _reals(elements, self._inputs[self._which].shape)
        return self._call(inputs)

    def rounded(self, elements: np.ndarray) -> float:
        inputs = [one.copy() for one in self._inputs]
        one = inputs[self._which]
        inputs[self._which] = elements.astype(one.dtype).reshape(one.shape)
        return float(self._call(inputs))

    def takes_reals(self) -> bool:
        """Whether fn computes with Reals: an exception means that it does not."""
        try:
            with _core.precision(30):
                return isinstance(self.exact(self._inputs[self._which].ravel().tolist()), _core.Real)
        except Exception:
            return False


def _claims(gradient: Any, fn: Callable[..., Any], inputs: List[np.ndarray]) -> List[np.ndarray]:
    """The gradients that are claimed, one for each input. Raises ValueError where their shapes are others."""
    own = [one.copy() for one in inputs]  # fn may write into its arguments
    if gradient is None:
        returned = called(fn, *own)
        if not (isinstance(returned, (tuple, list)) and len(returned) == 2):
            raise ValueError(f"gradient: None, and fn returned {returned!r}: expected (value, gradient) from fn, or a gradient")
        gradient = returned[1]
    elif callable(gradient):
        gradient = called(gradient, *own)
    several = isinstance(gradient, (tuple, list)) and len(gradient) == len(inputs) and np.ndim(gradient[0]) > 0
    claims = list(gradient) if several or len(inputs) > 1 else [gradient]
    for one in claims:
        require_plain(one)
    arrays = [np.asarray(one) if isinstance(one, (float, int, list, np.generic)) else to_numpy(one) for one in claims]
    for i, (one, of) in enumerate(zip(arrays, inputs)):
        if one.shape != of.shape:
            raise ValueError(f"gradient {i}: {list(one.shape)}: expected {list(of.shape)}, as the input is")
    if len(arrays) != len(inputs):
        raise ValueError(f"{len(arrays)} gradients: expected {len(inputs)}, one for each input")
    return arrays


def _require_type(i: int, claim: np.ndarray, x: np.ndarray, dtype: Optional[str]) -> None:
    """Raises ValueError for a gradient of a narrower type than its input or than is declared: bounds are wider there."""
    due = x.dtype.name if dtype is None else dtype
    widths = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
    if due not in widths:
        raise ValueError(f"dtype = {dtype!r}: expected one of {', '.join(widths)}")
    if widths.get(claim.dtype.name, 8) < widths[due]:
        why = f"the type of input {i}; convert it, or declare dtype={claim.dtype.name!r}" if dtype is None else "as declared"
        raise ValueError(f"gradient {i}: {claim.dtype.name}: expected {due}, {why}")


def _of_input(function: _Function, x: np.ndarray, claim: np.ndarray, subject: str, options: Dict[str, Any]) -> GradcheckResult:
    exact = function.takes_reals() if options["exact"] is None else options["exact"]
    wide_x, wide_claim = x.astype(np.float64).ravel(), claim.astype(np.float64).ravel()
    rest = (options["tolerance"], options["seed"])
    if exact:
        with _core.precision(options["digits"]):
            said, text = _core.check_exact(
                function.exact, wide_x, wide_claim, list(x.shape), subject, options["digits"], claim.dtype.name, *rest
            )
    else:
        said, text = _core.check_black_box(
            function.rounded, wide_x, wide_claim, subject, x.dtype.name, claim.dtype.name, *rest
        )
    return _result(json.loads(said), text)


_GRAVITY = ("pass", "skipped", "mistrusted", "error", "fail")


@gradchecks
def gradcheck(
    fn: Any,
    inputs: Any,
    gradient: Any = None,
    *,
    digits: Optional[int] = None,
    exact: Optional[bool] = None,
    tolerance: float = 0.0,
    cases: int = 60,
    seed: int = 1,
    **declared: Any,
) -> Any:
    """Judges the gradient of `fn`, a function of one or several arrays that returns one number.

    inputs      an array, a number, or a list of arrays: where the gradient is judged. Each element is taken as it is
    gradient    the claimed gradient: arrays of the shapes of the inputs, or a function of the inputs; None: fn returns
                (value, gradient) itself
    digits      of the derivatives, 100 unless said, where fn computes with object arrays of assay.Real: by np.exp, @, sum and
                the like. Of an operation: of its reference
    exact       whether fn computes with Reals; None: gradcheck tries. Otherwise fn is a black box in the type of its
                inputs: differences along directions, with estimates of their error, which may be too large to decide
    dtype       of the gradient, where that is narrower than its input: "float16", "bfloat16" or "float32"
    tolerance   in units of roundoff of the gradient's type; 0: derived from the condition of fn

    assay.gradcheck("ctc", kernel, ...), "cce" and "svd" judge the gradient of a kernel as assay.gate takes it, element
    by element by the any-precision reference, over `cases` generated problems; `declared` as for assay.gate.

    assay.gradcheck(operation, backward), of one's own operation, judges a backward pass: backward(p) returns the
    gradients in the inputs for p.upstream. The result is that of assay.gate. Of a function or module of PyTorch,
    assay.gradcheck(reference, fn, x="N, D") judges what autograd gives of fn(x).

    Returns a GradcheckResult: `.verdict`, `.passed`, `.worst`, `.patterns` of the wrong elements, `.raise_for_failure()`; of
    several inputs the gravest. Of one's own operation or a reference it is a GateResult.

    Raises ValueError or TypeError for arguments, with the argument, its value and what was expected; JudgeError where the
    judge cannot go on.

    >>> import numpy as np
    >>> right = gradcheck(lambda x: np.exp(x).sum(), np.array([0.0, 1.0]), gradient=np.array([1.0, np.e]))
    >>> wrong = gradcheck(lambda x: (x * x).sum(), np.array([1.0, 2.0]), gradient=np.array([1.0, 4.0]))
    >>> right.verdict, wrong.verdict
    ('pass', 'fail')
    """
    cases, seed = _numbers.whole("cases", cases, 1, 1_000_000), _numbers.seed(seed)
    precision = {} if digits is None else {"digits": _numbers.whole("digits", digits, 17, MOST_DIGITS)}
    tolerance = _numbers.real("tolerance", tolerance, 0)
    exact = None if exact is None else _numbers.flag("exact", exact)
    inputs = kernel_in(inputs)
    if callable(inputs):
        fn, declared = with_operation(fn, declared)
    if isinstance(fn, Operation):
        return fn.gradcheck(inputs, cases=cases, seed=seed, **precision, **declared)
    if isinstance(fn, str):
        require_operation(fn, inputs)
        return _of_kernel(fn, inputs, cases, seed, precision, **declared)
    if not callable(fn):
        raise TypeError(f"fn = {fn!r}: expected a function, an operation of assay.operation, or 'ctc', 'cce' or 'svd'")
    dtype = declared.pop("dtype", None)
    if declared:
        known = ("dtype", "digits", "exact", "tolerance", "cases", "seed", "gradient")
        raise TypeError(f"{', '.join(declared)}: only gradcheck('ctc', kernel, ...) takes such an argument: expected one of "
                        f"{', '.join(known)}{_numbers.nearest(next(iter(declared)), known)}")  # fmt: skip
    if isinstance(inputs, (tuple, list)) and not inputs:
        raise ValueError(f"inputs = {inputs!r}: expected an array, a number or a list of arrays")
    given = list(inputs) if isinstance(inputs, (tuple, list)) and np.ndim(inputs[0]) > 0 else [inputs]
    arrays = [_as_input(one) for one in given]
    for i, one in enumerate(arrays):
        if one.dtype.name not in ("float16", "float32", "float64"):
            raise ValueError(f"input {i}: {one.dtype}: expected float16, float32 or float64")
    options = {"digits": precision.get("digits", 100), "exact": exact, "tolerance": tolerance, "seed": seed}
    name = name_of(fn)
    results = []
    with kernel_calls():
        for i, (x, claim) in enumerate(zip(arrays, _claims(gradient, fn, arrays))):
            _require_type(i, claim, x, dtype)
            subject = f"function {name}" + (f", input {i}" if len(arrays) > 1 else "")
            results.append(_of_input(_Function(fn, arrays, i, gradient is None), x, claim, subject, options))
    return max(results, key=lambda one: (_GRAVITY.index(one.verdict), math.isnan(one.worst), one.worst))
