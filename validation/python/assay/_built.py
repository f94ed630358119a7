"""Refuses at import what a package that is built this way cannot work with."""

from __future__ import annotations

from typing import Tuple

import numpy as np

from ._core import pybind11_version

_FIRST_FOR_NUMPY_2 = (2, 12)


def require_numpy(version: str = np.__version__, pybind11: Tuple[int, int] = pybind11_version) -> None:
    """pybind11 before 2.12 reads the strides of NumPy 2's arrays from the wrong place, as 0.

    Raises ImportError for such a pair.
    """
    if int(version.split(".")[0]) < 2 or pybind11 >= _FIRST_FOR_NUMPY_2:
        return
    built = ".".join(str(part) for part in pybind11)
    raise ImportError(
        f"NumPy {version}: this package of assay was built with pybind11 {built}, which misreads arrays of NumPy 2; "
        "expected NumPy below 2, or a package built with pybind11 2.12 or later"
    )
