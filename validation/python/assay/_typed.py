"""What type checkers are told of gate, pytest_gate and gradcheck: an overload for each operation."""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Iterator,
    Literal,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    TypeVar,
    Union,
    overload,
)

from ._keywords import (
    Accumulate,
    CceGate,
    CceGradcheck,
    CtcGate,
    CtcGradcheck,
    Dtype,
    FormulaGate,
    Kept,
    PartialSums,
    Path,
    Reach,
    Road,
    Rounds,
    Sizes,
    SvdGate,
    SvdGradcheck,
    Taken,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._gate_result import GateResult
    from ._gradcheck import GradcheckResult
    from ._operation import Operation
    from ._problems import CceProblem, CtcProblem, SvdProblem

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
        seed: Union[int, Literal["fresh"]] = ...,
        digits: int = ...,
        filter: str = ...,
        reach: Reach = ...,
        input: Union[Path, Mapping[str, Any], None] = ...,
        executor: Any = ...,
        shards: Optional[int] = ...,
        resume: Optional[Path] = ...,
        time_limit: float = ...,
        own_process: bool = ...,
        sizes: Optional[int] = ...,
        seconds: Optional[float] = ...,
        dtype: Union[Dtype, Sequence[Dtype]] = ...,
        dtypes: Optional[Mapping[str, str]] = ...,
        compute: Dtype = ...,
        accumulate: Accumulate = ...,
        exp_error: float = ...,
        input_roundoff: float = ...,
        rounds: Optional[Rounds] = ...,
        products: Kept = ...,
        partial_sums: Optional[PartialSums] = ...,
        road: Optional[Road] = ...,
        subnormals: bool = ...,
        empty: bool = ...,
        limits: Optional[Sizes] = ...,
        extents: Optional[Taken] = ...,
        same_bits: bool = ...,
        checks_arguments: bool = ...,
        strides: bool = ...,
        algebra: bool = ...,
        largest: float = ...,
        contiguous: bool = ...,
        device: Any = ...,
        properties: str = ...,
        minus_infinity: str = ...,
        nan: str = ...,
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
        dtype: str = ...,
        tolerance: float = ...,
        seed: int = ...,
    ) -> GradcheckResult: ...


def judges(function: Callable[..., Result]) -> Judges[Result]:
    """Tells type checkers which keywords go with which operation; the function itself is left as it is."""
    return function  # type: ignore[return-value,unused-ignore]


def gradchecks(function: Callable[..., Any]) -> Gradchecks:
    """The same of gradcheck."""
    return function  # type: ignore[return-value,unused-ignore]
