"""xp.einsum: each pair of operands is a product of matrices [batch, rows, inner] x [batch, inner, columns]."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Set, Tuple

import numpy as np

if TYPE_CHECKING:
    from ._formula import Namespace

Term = Tuple[Any, str]  # an array, and the label of each of its axes


def einsum(xp: "Namespace", subscripts: str, *operands: Any) -> Any:
    """The terms in turn. A label that neither what follows nor the result has is summed over."""
    terms, result = _parsed(xp, subscripts, operands)
    _require_extents(subscripts, terms)
    terms = [_distinct(xp, x, labels) for x, labels in terms]
    last = terms[0]
    for k, term in enumerate(terms[1:], 2):
        last = _product(xp, last, term, set(result).union(*(labels for _, labels in terms[k:])))
    x, labels = _summed(xp, *last, set(result))
    return xp.permute_dims(x, [labels.index(one) for one in result])


def _parsed(xp: "Namespace", subscripts: str, operands: Sequence[Any]) -> Tuple[List[Term], str]:
    """The operands with their labels and those of the result, in which letters stand for each ellipsis."""
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    texts, arrays = given.split(","), [xp.asarray(x) for x in operands]
    if len(texts) != len(arrays):
        raise ValueError(f"xp.einsum {subscripts!r}: {len(arrays)} operands: expected {len(texts)}")
    if not arrow:
        letters = given.replace("...", "").replace(",", "")
        result = ("..." if "..." in given else "") + "".join(sorted(one for one in set(letters) if letters.count(one) == 1))
    spare = [one for one in string.ascii_letters if one not in subscripts]
    shapes = [x.shape[text.index("...") :][: x.ndim - len(text) + 3] for x, text in zip(arrays, texts) if "..." in text]
    shared = np.broadcast_shapes(*shapes)
    dots = "".join(spare[: len(shared)])
    terms = [_term(xp, subscripts, x, text, dots, shared) for x, text in zip(arrays, texts)]
    return terms, _require_result(subscripts, result.replace("...", dots), terms)


def _term(xp: "Namespace", subscripts: str, x: Any, text: str, dots: str, shared: Tuple[int, ...]) -> Term:
    before, ellipsis, after = text.partition("...")
    own = x.ndim - len(before) - len(after) if ellipsis else 0
    if own < 0 or len(before) + own + len(after) != x.ndim or not (before + after + "a").isalpha():
        raise ValueError(f"xp.einsum {subscripts!r}: an operand of shape {list(x.shape)}: expected a letter for each axis "
                         f"of {text!r}")
    shape = x.shape[: len(before)] + shared[len(shared) - own :] + x.shape[x.ndim - len(after) :]
    return xp.broadcast_to(x, shape), before + dots[len(dots) - own :] + after


def _require_result(subscripts: str, result: str, terms: Sequence[Term]) -> str:
    known = {label for _, labels in terms for label in labels}
    if len(set(result)) != len(result) or not set(result) <= known:
        raise ValueError(f"xp.einsum {subscripts!r}: the result {result!r}: expected different letters that operands have")
    return result


def _require_extents(subscripts: str, terms: Sequence[Term]) -> None:
    sizes: Dict[str, Any] = {}
    for x, labels in terms:
        for label, size in zip(labels, x.shape):
            if sizes.setdefault(label, size) != size:
                raise ValueError(f"xp.einsum {subscripts!r}: {label} is {sizes[label]} and {size}: expected one extent")


def _distinct(xp: "Namespace", x: Any, labels: str) -> Term:
    """A label that stands twice is a diagonal."""
    once = "".join(dict.fromkeys(labels))
    return (x, labels) if once == labels else (xp._moved([x], np.einsum(f"{labels}->{once}", xp._positions(x))), once)


def _summed(xp: "Namespace", x: Any, labels: str, kept: Set[str]) -> Term:
    axes = tuple(k for k, one in enumerate(labels) if one not in kept)
    return (xp.sum(x, axis=axes), "".join(one for one in labels if one in kept)) if axes else (x, labels)


def _product(xp: "Namespace", a: Term, b: Term, kept: Set[str]) -> Term:
    (a_array, of_a), (b_array, of_b) = _summed(xp, *a, kept | set(b[1])), _summed(xp, *b, kept | set(a[1]))
    batch = [one for one in of_a if one in of_b and one in kept]
    inner = [one for one in of_a if one in of_b and one not in kept]
    rows, columns = [one for one in of_a if one not in of_b], [one for one in of_b if one not in of_a]
    left = xp.permute_dims(a_array, [of_a.index(one) for one in batch + rows + inner])
    right = xp.permute_dims(b_array, [of_b.index(one) for one in batch + inner + columns])
    shape = left.shape[: len(batch) + len(rows)] + right.shape[len(batch) + len(inner) :]
    labels = "".join(batch + rows + columns)
    if not inner:
        ones = (1,) * len(rows)
        left = xp.reshape(left, left.shape + (1,) * len(columns))
        return left * xp.reshape(right, right.shape[: len(batch)] + ones + right.shape[len(batch) :]), labels
    size = [int(np.prod(part, dtype=np.int64)) for part in (shape[len(batch) : len(batch) + len(rows)],
            left.shape[len(batch) + len(rows) :], right.shape[len(batch) + len(inner) :])]  # fmt: skip
    product = xp.matmul(xp.reshape(left, shape[: len(batch)] + (size[0], size[1])),
                        xp.reshape(right, shape[: len(batch)] + (size[1], size[2])))  # fmt: skip
    return xp.reshape(product, shape), labels


def tensordot(xp: "Namespace", a: Any, b: Any, *, axes: Any = 2) -> Any:
    a, b = xp.asarray(a), xp.asarray(b)
    of_a, of_b = (range(a.ndim - axes, a.ndim), range(axes)) if isinstance(axes, int) else axes
    letters = string.ascii_letters
    labels = list(letters[a.ndim : a.ndim + b.ndim])
    for k, m in zip(of_a, of_b):
        labels[m] = letters[k % a.ndim]
    summed = {letters[k % a.ndim] for k in of_a}
    result = "".join(one for one in [*letters[: a.ndim], *labels] if one not in summed)
    return einsum(xp, f"{letters[: a.ndim]},{''.join(labels)}->{result}", a, b)


def vecdot(xp: "Namespace", a: Any, b: Any, *, axis: int = -1) -> Any:
    a, b = xp.moveaxis(a, axis, -1), xp.moveaxis(b, axis, -1)
    return xp.matmul(xp.expand_dims(a, axis=-2), xp.expand_dims(b, axis=-1))[..., 0, 0]
