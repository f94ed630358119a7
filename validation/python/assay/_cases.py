"""Cases of one's own operation as files: a failing case that is too long for a line, and batches of the user's."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

import numpy as np

LONGEST_LINE = 2000
_PLAIN = ("operation", "property", "seed", "layout")  # words of a line that are no arrays

Given = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def shortened(words: str) -> str:
    """`words`, or the same with the path of a file that holds the arrays, which this writes to assay-failures/."""
    if len(words) <= LONGEST_LINE:
        return words
    pairs = dict(word.split("=", 1) for word in words.split())
    folder = Path("assay-failures")
    folder.mkdir(exist_ok=True)
    path = folder / f"{pairs['operation']}-{pairs['property']}-{zlib.crc32(words.encode()):08x}.npz"
    arrays = {key: np.array([float(x) for x in text.split(",") if x]) for key, text in pairs.items() if key not in _PLAIN}
    np.savez_compressed(path, **arrays)
    return " ".join(f"{key}={pairs[key]}" for key in _PLAIN) + f" file={path}"


def words_of_line(line: str) -> Dict[str, str]:
    """The words of a line, with the arrays of its file. Raises ValueError for a word that is no key=value."""
    for word in line.split():
        if "=" not in word:
            raise ValueError(f"{word!r}: expected key=value, as Failure.reproducer has them")
    words = dict(word.split("=", 1) for word in line.split())
    if "file" in words:
        with np.load(words.pop("file")) as file:
            for key in file.files:
                whole = file[key].size == 1 and float(file[key][0]).is_integer()
                words[key] = str(int(file[key][0])) if whole else ",".join(repr(float(x)) for x in file[key])
    return words


def _arrays_of(given: Given) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    with np.load(given) as file:
        return {key: file[key] for key in file.files}


def given_case(operation: Any, given: Given, dtype: str) -> Tuple[Dict[str, int], List[List[float]], List[List[float]]]:
    """Extents, inputs and upstream gradients of a batch: arrays by the names of the inputs, and upstream0, ... or ones.

    Raises ValueError for a missing array, a wrong shape, or a value that the kernel's dtype does not hold.
    """
    arrays = _arrays_of(given)
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
    upstream = [np.asarray(arrays.get(f"upstream{k}", arrays.get("upstream", np.ones(shape))), np.float64)
                for k, shape in enumerate(shapes)]
    for k, (one, shape) in enumerate(zip(upstream, shapes)):
        if list(one.shape) != list(shape):
            raise ValueError(f"upstream{k} has the shape {list(one.shape)}: expected {list(shape)}")
    return extents, held([np.asarray(arrays[name]) for name in names], dtype), held(upstream, dtype)


def held(arrays: Sequence[np.ndarray], dtype: str) -> List[List[float]]:
    """Rounded to the type, as the kernel will be given them."""
    flat = [np.asarray(one, np.float64).reshape(-1) for one in arrays]
    if dtype == "bfloat16":
        return [[_bfloat16(x) for x in one] for one in flat]
    with np.errstate(over="ignore"):
        return [one.astype(dtype).astype(np.float64).tolist() for one in flat]


def _bfloat16(x: float) -> float:
    """x rounded to nearest, ties to even."""
    bits = int(np.float32(x).view(np.uint32))
    if not np.isfinite(np.float32(x)):
        return x
    return float(np.uint32((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32))
