"""Calls of the references for assay.steps: a request goes out as JSON, and its answer comes back as arrays."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, Dict, List, Union

import numpy as np

from . import _numbers

Number = Union[str, int]


class Reader:
    """Turns the texts of a response into arrays of one type."""

    def __init__(self, response: Dict[str, Any], element: Callable[[str], Any], dtype: Any) -> None:
        self.response, self.element, self.dtype = response, element, dtype

    def array(self, name: str) -> Any:
        return self.array_of(self.response[name])

    def array_of(self, texts: Any) -> Any:
        if texts is None:
            return None
        shape: List[int] = []
        level = texts
        while isinstance(level, list):
            shape.append(len(level))
            level = level[0] if level else None
        flat = texts
        for _ in shape[1:]:
            flat = [x for row in flat for x in row]
        result = np.empty(len(flat), self.dtype)
        result[:] = [self.element(x) for x in flat]
        return result.reshape(shape)

    def scalar(self, name: str) -> Any:
        text = self.response[name]
        return None if text is None else self.element(text)


def _plain(value: Any) -> Any:
    """Nested lists of what JSON has: numbers, and fractions and decimals as texts. Floats keep every digit."""
    if isinstance(value, (Fraction, Decimal)):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(x) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(x) for x in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def number_of(number: Number) -> Any:
    return number if isinstance(number, str) else {"digits": _numbers.whole("number", number, 17, 1000)}


def ask(function: Callable[[str], str], request: Dict[str, Any]) -> Reader:
    response = json.loads(function(json.dumps({k: _plain(v) for k, v in request.items() if v is not None})))
    if "error" in response:
        raise ValueError(response["error"])
    number = request.get("number")
    if number == "exact":
        return Reader(response, Fraction, object)
    return Reader(response, Decimal, object) if isinstance(number, dict) else Reader(response, float, np.float64)
