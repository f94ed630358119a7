"""What type checkers are told of gate, pytest_gate and gradcheck: the keywords of each operation, and their types.

The tables of keywords are held against the judge's own by tests/python/test_typing.py.
"""

from __future__ import annotations

import os
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Literal,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    TypedDict,
    TypeVar,
    Union,
    overload,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._gate import GateResult
    from ._gradcheck import GradcheckResult
    from ._operation import Operation
    from ._problems import CceProblem, CtcProblem, SvdProblem

Reach = Literal["", "none", "quick", "full", "thorough"]
HalfDtype = Literal["float32", "float16", "bfloat16"]
Dtype = Literal["float32", "float16", "bfloat16", "float64"]
Kept = Literal["float32", "float16", "bfloat16", "tf32"]
Variable = Literal["logits", "log_probs"]
Layout = Literal["padded", "concatenated"]
Reduction = Literal["none", "sum", "mean"]
Path = Union[str, "os.PathLike[str]"]
Sizes = Mapping[str, int]
Taken = Mapping[str, Union[str, Sequence[int]]]
Rounds = Mapping[str, Union[float, Kept]]
Road = Union[Callable[..., Any], Tuple[Callable[..., Any], ...]]

Problem = TypeVar("Problem", contravariant=True)
Result = TypeVar("Result", covariant=True)


class Function(Protocol):
    """A function, by whose name an operation of one's own is told from it."""

    @property
    def __name__(self) -> str: ...

    def __call__(self, *arrays: Any, **named: Any) -> Any: ...


class Module(Protocol):
    """A torch.nn.Module."""

    def named_parameters(self) -> Iterator[Tuple[str, Any]]: ...


class Jitted(Protocol):
    """What jax.jit makes."""

    def __call__(self, *arrays: Any, **named: Any) -> Any: ...
    def lower(self, *arrays: Any, **named: Any) -> Any: ...


Reference = Union[Function, Module, Jitted]


class Counts(TypedDict, total=False):
    cases: int
    seed: int


class RunOptions(Counts, total=False):
    digits: int
    filter: str
    reach: Reach
    executor: Any
    shards: Optional[int]
    resume: Optional[Path]
    time_limit: float


class KernelDeclared(TypedDict, total=False):
    """Of the built-in operations."""

    unit_roundoff: float
    batch_invariant: bool
    empty: bool
    checks_arguments: bool
    same_bits: bool
    limits: Optional[Sizes]


class CtcDeclared(KernelDeclared, total=False):
    dtype: Union[HalfDtype, Sequence[HalfDtype]]
    arithmetic: Literal["log_space", "probability"]
    two_step: bool
    random_rounding: bool
    largest_activation: float
    largest_spread: float
    any_blank: bool
    gradient_of: Union[Variable, Sequence[Variable]]
    layouts: Union[Layout, Sequence[Layout]]
    reductions: Union[Reduction, Sequence[Reduction]]
    zero_infinity: bool
    upstream: bool


class CceDeclared(KernelDeclared, total=False):
    dtype: Union[HalfDtype, Sequence[HalfDtype]]
    sum_roundoff: float
    exp_error: float
    longest_chain: int
    bfloat16_roundings: int
    rounded_lse: bool
    any_ignore_index: bool
    logit_softcap: bool
    label_smoothing: bool
    z_loss: bool
    reductions: Union[Reduction, Sequence[Reduction]]
    upstream: bool
    bias: bool


class SvdDeclared(KernelDeclared, total=False):
    dtype: Union[Dtype, Sequence[Dtype]]
    sweeps: int
    graded: bool
    graded_range: float
    canonical_signs: bool
    exact_scaling: bool
    same_values: bool
    wide: bool
    tall: bool


class CtcGate(CtcDeclared, RunOptions, total=False):
    input: Optional[Path]
    inputs: Union[Variable, Sequence[Variable]]
    real_input: bool


class CceGate(CceDeclared, RunOptions, total=False):
    input: Optional[Path]


class SvdGate(SvdDeclared, RunOptions, total=False):
    input: Optional[Path]


class CtcGradcheck(CtcDeclared, Counts, total=False): ...


class CceGradcheck(CceDeclared, Counts, total=False): ...


class SvdGradcheck(SvdDeclared, Counts, total=False): ...


class FormulaGate(RunOptions, total=False):
    """Of an operation of one's own; `largest`, `contiguous` and `device` are for those of PyTorch and JAX."""

    input: Union[Path, Mapping[str, Any], None]
    sizes: Optional[int]
    seconds: Optional[float]
    dtype: Union[Dtype, Sequence[Dtype]]
    dtypes: Optional[Mapping[str, str]]
    compute: Dtype
    accumulate: Dtype
    exp_error: float
    input_roundoff: float
    rounds: Optional[Rounds]
    products: Kept
    road: Optional[Road]
    subnormals: bool
    empty: bool
    limits: Optional[Sizes]
    extents: Optional[Taken]
    same_bits: bool
    checks_arguments: bool
    largest: float
    contiguous: bool
    device: Any


class Judges(Protocol[Result]):
    """gate and pytest_gate. Of a function or module of PyTorch or JAX, every other keyword is an input: x="N, D"."""

    @overload
    def __call__(
        self, operation: Literal["ctc"], fn: Union[Callable[[CtcProblem], Any], Path], **options: Unpack[CtcGate]
    ) -> Result: ...

    @overload
    def __call__(
        self, operation: Literal["cce"], fn: Union[Callable[[CceProblem], Any], Path], **options: Unpack[CceGate]
    ) -> Result: ...

    @overload
    def __call__(
        self, operation: Literal["svd"], fn: Union[Callable[[SvdProblem], Any], Path], **options: Unpack[SvdGate]
    ) -> Result: ...

    @overload
    def __call__(self, operation: Operation, fn: Union[Callable[..., Any], Path], **options: Unpack[FormulaGate]) -> Result: ...

    @overload
    def __call__(
        self,
        operation: Reference,
        fn: Union[Callable[..., Any], Path],
        *,
        cases: int = ...,
        seed: int = ...,
        digits: int = ...,
        filter: str = ...,
        reach: Reach = ...,
        input: Union[Path, Mapping[str, Any], None] = ...,
        executor: Any = ...,
        shards: Optional[int] = ...,
        resume: Optional[Path] = ...,
        time_limit: float = ...,
        sizes: Optional[int] = ...,
        seconds: Optional[float] = ...,
        dtype: Union[Dtype, Sequence[Dtype]] = ...,
        dtypes: Optional[Mapping[str, str]] = ...,
        compute: Dtype = ...,
        accumulate: Dtype = ...,
        exp_error: float = ...,
        input_roundoff: float = ...,
        rounds: Optional[Rounds] = ...,
        products: Kept = ...,
        road: Optional[Road] = ...,
        subnormals: bool = ...,
        empty: bool = ...,
        limits: Optional[Sizes] = ...,
        extents: Optional[Taken] = ...,
        same_bits: bool = ...,
        checks_arguments: bool = ...,
        largest: float = ...,
        contiguous: bool = ...,
        device: Any = ...,
        properties: str = ...,
        minus_infinity: str = ...,
        framework: Literal["", "torch", "jax"] = ...,
        **inputs: str,
    ) -> Result: ...


class Gradchecks(Protocol):
    """gradcheck: of a built-in operation, of one's own, of a reference whose inputs are declared, of any function at `inputs`."""

    @overload
    def __call__(
        self, fn: Literal["ctc"], inputs: Callable[[CtcProblem], Any], **options: Unpack[CtcGradcheck]
    ) -> GradcheckResult: ...

    @overload
    def __call__(
        self, fn: Literal["cce"], inputs: Callable[[CceProblem], Any], **options: Unpack[CceGradcheck]
    ) -> GradcheckResult: ...

    @overload
    def __call__(
        self, fn: Literal["svd"], inputs: Callable[[SvdProblem], Any], **options: Unpack[SvdGradcheck]
    ) -> GradcheckResult: ...

    @overload
    def __call__(self, fn: Operation, inputs: Union[Callable[..., Any], Path], **options: Unpack[FormulaGate]) -> GateResult: ...

    @overload
    def __call__(self, fn: Reference, inputs: Callable[..., Any], **options: Any) -> GateResult: ...

    @overload
    def __call__(
        self,
        fn: Callable[..., Any],
        inputs: Any,
        gradient: Any = ...,
        *,
        digits: int = ...,
        exact: Optional[bool] = ...,
        tolerance: float = ...,
        seed: int = ...,
    ) -> GradcheckResult: ...


def judges(function: Callable[..., Result]) -> Judges[Result]:
    """Tells type checkers which keywords go with which operation; the function itself is left as it is."""
    return function  # type: ignore[return-value,unused-ignore]


def gradchecks(function: Callable[..., Any]) -> Gradchecks:
    """The same of gradcheck."""
    return function  # type: ignore[return-value,unused-ignore]
