"""What a kernel says of itself: the bound it is held to, and what it claims to do (validation/{ctc,cce,svd}/support.h).

What is not claimed is not asked for: such cases are skipped, and counted with the reason.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterable, Optional, Sequence, Union

Words = Union[str, Iterable[str]]

_ROUNDOFF = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8, "float64": 2.0**-53}


def _several(name: str, given: Words, known: Sequence[str]) -> Sequence[str]:
    words = (given,) if isinstance(given, str) else tuple(given)
    for word in words:
        if word not in known:
            raise ValueError(f"{name} = {word!r}: expected any of {', '.join(known)}")
    if not words:
        raise ValueError(f"{name} is empty: expected at least one of {', '.join(known)}")
    return words


def _one(name: str, given: str, known: Sequence[str]) -> str:
    return _several(name, given, known)[0] if isinstance(given, str) else _several(name, (repr(given),), known)[0]


def _limits(limits: Optional[Dict[str, int]], known: str) -> Dict[str, int]:
    for name in limits or {}:
        if name not in known:
            raise ValueError(f"limits has {name!r}: expected sizes of {', '.join(known)}")
    return {f"largest_{name}": int(size) for name, size in (limits or {}).items()}


def _reductions(reductions: Words) -> Dict[str, bool]:
    known = ("none", "sum", "mean")
    claimed = _several("reductions", reductions, known)
    return {f"reduction_{name}": name in claimed for name in known}


def ctc(
    *,
    dtype: str = "float32",
    arithmetic: str = "log_space",
    unit_roundoff: float = 2.0**-24,
    two_step: bool = False,
    inputs: Words = "logits",
    gradient_of: Words = "logits",
    layouts: Words = "padded",
    reductions: Words = "none",
    upstream: bool = False,
    zero_infinity: bool = False,
    any_blank: bool = True,
    empty: bool = True,
    checks_arguments: bool = True,
    limits: Optional[Dict[str, int]] = None,
) -> Dict[str, Any]:
    kinds = ("logits", "log_probs")
    taken = _several("inputs", inputs, kinds)
    by = _several("gradient_of", gradient_of, kinds)
    laid = _several("layouts", layouts, ("padded", "concatenated"))
    return {
        "arithmetic": _one("arithmetic", arithmetic, ("log_space", "probability")),
        "unit_roundoff": unit_roundoff,
        "two_step": two_step,
        "output_unit_roundoff": _ROUNDOFF[_one("dtype", dtype, ("float32", "float16", "bfloat16"))],
        "support": {
            "dtype": dtype,
            "logits": "logits" in taken,
            "log_probs": "log_probs" in taken,
            "gradient_of_logits": "logits" in by,
            "gradient_of_log_probs": "log_probs" in by,
            "padded": "padded" in laid,
            "concatenated": "concatenated" in laid,
            **_reductions(reductions),
            "upstream": upstream,
            "zero_infinity": zero_infinity,
            "any_blank": any_blank,
            "empty": empty,
            "checks_arguments": checks_arguments,
            **_limits(limits, "TBCS"),
        },
    }


def cce(
    *,
    dtype: Words = "float32",
    unit_roundoff: float = 2.0**-24,
    longest_chain: int = 0,
    exp_error: float = 4,
    bfloat16_roundings: int = 0,
    bias: bool = False,
    logit_softcap: bool = False,
    label_smoothing: bool = False,
    z_loss: bool = False,
    reductions: Words = "none",
    upstream: bool = False,
    any_ignore_index: bool = True,
    empty: bool = True,
    checks_arguments: bool = True,
    limits: Optional[Dict[str, int]] = None,
) -> Dict[str, Any]:
    return {
        "unit_roundoff": unit_roundoff,
        "longest_chain": longest_chain,
        "exp_error": exp_error,
        "bfloat16_roundings": bfloat16_roundings,
        "support": {
            "dtypes": _several("dtype", dtype, ("float32", "float16", "bfloat16")),
            "bias": bias,
            "logit_softcap": logit_softcap,
            "label_smoothing": label_smoothing,
            "z_loss": z_loss,
            **_reductions(reductions),
            "upstream": upstream,
            "any_ignore_index": any_ignore_index,
            "empty": empty,
            "checks_arguments": checks_arguments,
            **_limits(limits, "NHV"),
        },
    }


def svd(
    *,
    dtype: Words = "float32",
    unit_roundoff: float = 2.0**-24,
    sweeps: int = 10,
    graded: bool = False,
    canonical_signs: bool = False,
    wide: bool = True,
    tall: bool = True,
    empty: bool = True,
    checks_arguments: bool = True,
    limits: Optional[Dict[str, int]] = None,
) -> Dict[str, Any]:
    return {
        "unit_roundoff": unit_roundoff,
        "sweeps": sweeps,
        "graded": graded,
        "canonical_signs": canonical_signs,
        "support": {
            "dtypes": _several("dtype", dtype, tuple(_ROUNDOFF)),
            "wide": wide,
            "tall": tall,
            "empty": empty,
            "checks_arguments": checks_arguments,
            **_limits(limits, "BMN"),
        },
    }


_DECLARE: Dict[str, Callable[..., Dict[str, Any]]] = {"ctc": ctc, "cce": cce, "svd": svd}
OPERATIONS = tuple(_DECLARE)


def declaration_of(operation: str, fn: Callable[..., Any], declared: Dict[str, Any]) -> Dict[str, Any]:
    """What the judge is told. Raises ValueError for another operation or a value, TypeError for a keyword."""
    if operation not in _DECLARE:
        raise ValueError(f"operation {operation!r} is unknown: expected one of {', '.join(OPERATIONS)}")
    if not callable(fn):
        raise TypeError(f"fn is {type(fn).__name__}: expected a function of one problem")
    name = getattr(fn, "__name__", type(fn).__name__)
    return {"name": re.sub(r"[^\w.:-]", "", name) or "kernel", **_DECLARE[operation](**declared)}
