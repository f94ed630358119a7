"""Layers with a fraction of their channels, for models whose file states widths that no size of it makes smaller.

The constructors of PyTorch's layers divide the widths that they are given, in `Model` and `ModelNew` alike. No text is changed: a
number of a kernel's own, such as a block size, stays.
"""

from __future__ import annotations

import functools
import inspect
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Optional, Set, Tuple

import torch

_LAYERS: Tuple[Tuple[Any, Tuple[str, ...]], ...] = (
    (torch.nn.Linear, ("in_features", "out_features")),
    (torch.nn.modules.conv._ConvNd, ("in_channels", "out_channels")),
    (torch.nn.modules.batchnorm._NormBase, ("num_features",)),
    (torch.nn.GroupNorm, ("num_channels",)),
    (torch.nn.LayerNorm, ("normalized_shape",)),
    (torch.nn.Embedding, ("embedding_dim",)),
)


class Narrowing:
    """Divides each width that was seen at the base sizes. Widths that a model is given are not among them."""

    def __init__(self, factor: int) -> None:
        self.factor = factor
        self._widths: Optional[Set[int]] = None  # None until the model was built at the base sizes

    @contextmanager
    def applied(self, given: Any) -> Iterator[None]:
        """Layers made inside are narrow, by a model that is `given` these arguments. Raises ValueError where one of them is a
        width that is divided."""
        kept = set(_whole_numbers(given))
        seen: Set[int] = set()
        for one in kept & (self._widths or set()):
            raise ValueError(f"{one} is also the width of a layer, which is divided by {self.factor}")

        def narrow(width: Any) -> Any:
            if isinstance(width, (tuple, list)):
                return type(width)(narrow(one) for one in width)
            if not isinstance(width, int) or width % self.factor or width in kept:
                return width
            seen.add(width)
            return width // self.factor if self._widths is None or width in self._widths else width

        usual = [(layer, layer.__init__) for layer, _ in _LAYERS]
        try:
            for layer, names in _LAYERS:
                layer.__init__ = _with_widths(layer.__init__, names, narrow)
            yield
        finally:
            for layer, init in usual:
                layer.__init__ = init
        self._widths = seen if self._widths is None else self._widths


def _whole_numbers(given: Any) -> List[int]:
    if isinstance(given, dict):
        given = list(given.values())
    if isinstance(given, (list, tuple)):
        return [number for one in given for number in _whole_numbers(one)]
    return [given] if isinstance(given, int) else []


def _with_widths(init: Callable[..., None], names: Tuple[str, ...], narrow: Callable[[Any], Any]) -> Callable[..., None]:
    """The constructor with other widths. Groups of one channel each, as of a depthwise convolution, stay such."""
    signature = inspect.signature(init)

    @functools.wraps(init)
    def made(*args: Any, **options: Any) -> None:
        given = signature.bind(*args, **options)
        is_depthwise = given.arguments.get("groups", 1) == given.arguments.get("in_channels")
        for name in names:
            given.arguments[name] = narrow(given.arguments[name])
        if is_depthwise:
            given.arguments["groups"] = given.arguments["in_channels"]
        init(*given.args, **given.kwargs)

    return made
