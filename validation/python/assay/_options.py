"""The options of the operations, stated once: those of the functions of assay.numpy, of the other frameworks, and of the
references. A function that takes `**options: Unpack[CceOptions]` takes them by `with_options(CceOptions)`.
"""

from __future__ import annotations

import functools
import inspect
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, TypedDict, TypeVar

from . import _core

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
else:
    Unpack = None  # annotations are not evaluated

Function = TypeVar("Function", bound=Callable[..., Any])


class CtcReduction(TypedDict, total=False):
    blank: int
    reduction: str
    zero_infinity: bool


class CtcOptions(CtcReduction, total=False):
    """
    reduction       "none": -ln p of each row [B]; "sum"; "mean": of -ln p over max(target_lengths[b], 1)
    zero_infinity   a row without any alignment has loss and gradient 0, not inf and NaN
    """

    logits: bool


class CceOptions(TypedDict, total=False):
    """
    label_smoothing  in [0, 1]: this share of the target is spread over all entries
    logit_softcap    cap: logits are cap tanh(logits / cap); 0: none
    z_loss           times the square of the log-sum-exp, added to the loss of a token
    reduction        "none": [N]; "sum"; "mean": over tokens that are not ignored, 0 where there is none
    """

    ignore_index: int
    label_smoothing: float
    logit_softcap: float
    z_loss: float
    reduction: str


DEFAULTS: Dict[Any, Dict[str, Any]] = {
    CtcOptions: {"blank": 0, "reduction": "mean", "zero_infinity": False, "logits": False},
    CceOptions: {"ignore_index": -100, "label_smoothing": 0.0, "logit_softcap": 0.0, "z_loss": 0.0, "reduction": "mean"},
}
_BY_POSITION = ("blank", "reduction", "zero_infinity")  # of CTC, as PyTorch has them


def options_in(p: Any, options: Any) -> Dict[str, Any]:
    """The options that a problem states; `logits` says of CTC's activations what `input` does."""
    return {name: p.input == name if name == "logits" else getattr(p, name) for name in DEFAULTS[options]}


def _documented(doc: Optional[str], options: Any, names: Dict[str, Any]) -> Optional[str]:
    """`doc` with the lines on these options that it does not have itself in the place of {options}."""
    lines = re.finditer(r"^    (\w+)  .+$", options.__doc__ or "", re.MULTILINE)
    added = [line[0] for line in lines if line[1] in names and f"\n    {line[1]}  " not in (doc or "")]
    return doc and doc.replace("    {options}", "\n".join(added))


def refuse_other_names(signature: inspect.Signature, given: Mapping[str, Any]) -> None:
    """Raises TypeError at an argument that has another framework's name, and says ours."""
    for name in given:
        if name not in signature.parameters:
            message = _core.ours_for(name, set(signature.parameters).difference(given))
            if message is not None:
                raise TypeError(message)


def with_own_names(function: Function) -> Function:
    """A function that takes no **options, with such messages."""
    signature = inspect.signature(function)
    known = frozenset(signature.parameters)

    @functools.wraps(function)
    def call(*arguments: Any, **given: Any) -> Any:
        if not known.issuperset(given):
            refuse_other_names(signature, given)
        return function(*arguments, **given)

    return call  # type: ignore[return-value]


def with_options(options: Any, **other: Any) -> Callable[[Function], Function]:
    """Gives a function that takes **options these, except what it has itself: by name in its signature and documentation,
    and in each call all of them, in their order. `other` are defaults that differ."""

    def decorate(function: Any) -> Any:
        own = inspect.signature(function)
        defaults = {name: one for name, one in {**DEFAULTS[options], **other}.items() if name not in own.parameters}
        first = [one for one in own.parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD]
        last = [one for one in own.parameters.values() if one.kind is one.KEYWORD_ONLY]
        by_position = _BY_POSITION if options is CtcOptions and first else ()
        added = [
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD if name in by_position else inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=type(default).__name__,
            )
            for name, default in defaults.items()
        ]
        every = sorted([*first, *added, *last], key=lambda one: (one.kind, one.default is not one.empty))
        signature = own.replace(parameters=every)
        keywords = {**defaults, **{one.name: one.default for one in last if one.default is not one.empty}}

        @functools.wraps(function)
        def call(*arguments: Any, **given: Any) -> Any:
            positional = dict(zip(by_position, arguments[len(first) :]))
            chosen = {**keywords, **positional, **given}
            is_plain = len(arguments) <= len(first) + len(by_position)
            is_plain = is_plain and not any(name in given for name in positional)  # as torch.compile can trace it
            if is_plain and len(chosen) == len(keywords):
                return function(*arguments[: len(first)], **chosen)
            refuse_other_names(signature, given)
            bound = signature.bind(*arguments, **given)  # arrays by name, or a mistake
            bound.apply_defaults()
            return function(**bound.arguments)

        call.__signature__ = signature  # type: ignore[attr-defined]
        call.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
        call.__doc__ = _documented(function.__doc__, options, defaults)
        return call

    return decorate
