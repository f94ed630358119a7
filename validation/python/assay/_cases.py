"""Cases of one's own operation as files: a failing case that is too long for a line, and batches of the user's."""

from __future__ import annotations

import math
import os
import zlib
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._again import pairs_of
from ._arrays import carried_argument, from_bfloat16, to_bfloat16
from ._formats import codes_of, format_of_type, formats
from ._inputs import CODES

_PLAIN = ("operation", "property", "seed", "layout", "way")  # words of a line that are no arrays

Given = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def shortened(words: str) -> str:
    """The words of a case with the path of a file that holds the arrays, which this writes to assay-failures/."""
    pairs = dict(word.split("=", 1) for word in words.split())
    folder = Path("assay-failures")
    folder.mkdir(exist_ok=True)
    path = folder / f"{pairs['operation']}-{pairs['property']}-{zlib.crc32(words.encode()):08x}.npz"
    arrays: Dict[str, Any] = {key: np.array([float(x) for x in text.split(",") if x])
                              for key, text in pairs.items() if key not in _PLAIN}  # fmt: skip
    np.savez_compressed(path, **arrays)
    return " ".join(f"{key}={pairs[key]}" for key in ("seed", "layout", "way") if key in pairs) + f" file={path}"


def words_of_line(line: str) -> Dict[str, str]:
    """The words of a line, with the arrays of its file. Raises ValueError for a word that is no key=value."""
    words = pairs_of(line)
    if "file" in words:
        for key, array in _arrays_in(words.pop("file")).items():
            words[key] = ",".join(_shortest(float(x)) for x in array.reshape(-1))
    return words


def _shortest(x: float) -> str:
    """`x` as text; a whole number without its ".0", as extents are written."""
    return str(int(x)) if x.is_integer() and math.copysign(1, x) > 0 else repr(x)


def _arrays_in(path: Any) -> Dict[str, np.ndarray]:
    """The arrays of an .npz. Raises ValueError, saying what the file is, for another one."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"no file {os.fspath(path)!r}: expected an .npz of arrays")
    _core.require_npz(os.fspath(path))
    with open(path, "rb") as stream:
        try:
            with np.load(stream) as file:
                return {key: file[key] for key in file.files}
        except Exception as error:  # of zipfile, zlib, tokenize and others: NumPy evaluates what a damaged file holds
            raise ValueError(f"{os.fspath(path)}: {error}: expected an .npz of arrays of numbers, as numpy.savez writes") from error


def _arrays_of(given: Given) -> Mapping[str, Any]:
    if not isinstance(given, (Mapping, str, os.PathLike)):
        raise TypeError(f"input is {type(given).__name__}: expected the path of an .npz, or a dict of arrays by name")
    return given if isinstance(given, Mapping) else _arrays_in(given)


def given_case(operation: Any, given: Given, dtype: str) -> Tuple[Dict[str, int], List[List[float]], List[List[float]]]:
    """Extents, inputs and upstream gradients of a batch: arrays by the names of the inputs, and upstream0, ... or ones.

    Raises ValueError for a missing array, a wrong shape, or a value that the kernel's dtype does not hold.
    """
    arrays = {key: _numeric(key, value) for key, value in _arrays_of(given).items()}
    names = [name for name, *_ in operation.inputs]
    known = [*names, "upstream", *(key for key in arrays if key.startswith("upstream"))]
    for key in arrays:
        if key not in known:
            raise ValueError(f"input has an array {key!r}: expected {', '.join(names)} and upstream0")
    for name in names:
        if name not in arrays:
            raise ValueError(f"input has no array {name!r}: expected {', '.join(names)}")
    extents = operation.extents_of([np.shape(arrays[name]) for name in names])
    shapes = operation.trace(extents).shapes
    upstream = [arrays.get(f"upstream{k}", arrays.get("upstream", np.ones(shape))) for k, shape in enumerate(shapes)]
    for k, (one, shape) in enumerate(zip(upstream, shapes)):
        if list(one.shape) != list(shape):
            raise ValueError(f"upstream{k} has the shape {list(one.shape)}: expected {list(shape)}")
    own = [_codes(name, arrays[name], of) if kind in CODES else held([arrays[name]], dtype)[0]
           for name, _, kind, of, _ in operation.inputs]  # fmt: skip
    return extents, own, held(upstream, dtype)


def _codes(name: str, numbers: np.ndarray, of: str) -> List[float]:
    try:
        codes_of(numbers, formats()[of])
    except ValueError as error:
        raise ValueError(f"input has {name!r} with {error}; give numbers, and no bits") from None
    return list(numbers.reshape(-1).tolist())


def _numeric(name: str, value: Any) -> np.ndarray:
    """`value` in float64. Raises ValueError or TypeError, naming the array, for what is no array of numbers."""
    dtype, array = carried_argument(name, value)
    if dtype == "bfloat16":
        array = from_bfloat16(array)
    elif (of := format_of_type(dtype)) is not None:
        array = of.numbers[array]
    if array.dtype.kind not in "bifu":
        raise ValueError(f"input has {name!r} of {array.dtype}: expected numbers; of bfloat16 or float8, store "
                         "array.astype(numpy.float32), which has the same values")
    return np.asarray(array, np.float64)


def held(arrays: Sequence[np.ndarray], dtype: str) -> List[List[float]]:
    """Rounded to the type, as the kernel will be given them."""
    flat = [np.asarray(one, np.float64).reshape(-1) for one in arrays]
    with np.errstate(over="ignore"):
        rounded = [from_bfloat16(to_bfloat16(one)) if dtype == "bfloat16" else one.astype(dtype) for one in flat]
    return [one.astype(np.float64).tolist() for one in rounded]
