"""The keywords of gate and gradcheck for each operation, with their types; a test holds them against the judge's own."""

from __future__ import annotations

import os
from typing import Any, Callable, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, Union

Reach = Literal["", "none", "quick", "full", "thorough"]
HalfDtype = Literal["float32", "float16", "bfloat16"]
Dtype = Literal["float32", "float16", "bfloat16", "float64"]
Kept = Literal["float32", "float16", "bfloat16", "tf32"]
Accumulate = Union[Dtype, Literal["int32"]]
PartialSums = Mapping[Literal["float22", "float16", "bfloat16"], int]
Variable = Literal["logits", "log_probs"]
Layout = Literal["padded", "concatenated"]
Reduction = Literal["none", "sum", "mean"]
Path = Union[str, "os.PathLike[str]"]
Sizes = Mapping[str, int]
Taken = Mapping[str, Union[str, Sequence[int]]]
Rounds = Mapping[str, Union[float, Kept]]
Road = Union[Callable[..., Any], Tuple[Callable[..., Any], ...]]


class Counts(TypedDict, total=False):
    cases: int
    seed: Union[int, Literal["fresh"]]


class RunOptions(Counts, total=False):
    digits: int
    filter: str
    reach: Reach
    executor: Any
    shards: Optional[int]
    resume: Optional[Path]
    time_limit: float
    own_process: bool


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
    nonnegative_loss: bool
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
    algebra: bool


class CceGate(CceDeclared, RunOptions, total=False):
    input: Optional[Path]
    algebra: bool


class SvdGate(SvdDeclared, RunOptions, total=False):
    input: Optional[Path]


class CtcGradcheck(CtcDeclared, Counts, total=False): ...


class CceGradcheck(CceDeclared, Counts, total=False): ...


class SvdGradcheck(SvdDeclared, Counts, total=False): ...


class FormulaGate(RunOptions, total=False):
    certificate: Optional[Path]
    """Of an operation of one's own; `largest`, `contiguous` and `device` are for those of PyTorch and JAX."""

    input: Union[Path, Mapping[str, Any], None]
    sizes: Optional[int]
    seconds: Optional[float]
    dtype: Union[Dtype, Sequence[Dtype]]
    dtypes: Optional[Mapping[str, str]]
    compute: Dtype
    accumulate: Accumulate
    exp_error: float
    input_roundoff: float
    rounds: Optional[Rounds]
    products: Kept
    partial_sums: Optional[PartialSums]
    road: Optional[Road]
    subnormals: bool
    empty: bool
    limits: Optional[Sizes]
    extents: Optional[Taken]
    same_bits: bool
    checks_arguments: bool
    strides: bool
    algebra: bool
    largest: float
    contiguous: bool
    device: Any
