"""Kernels of MLX and PyTorch as Apple's compiler has made them, which are in the wheels for macOS.

python3 -m assay.conformance --wheel FILE.whl judges them on the emulator; with --bindings FOLDER it writes the bindings
instead, for assay gate.
"""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, Sequence, Tuple

from ._apple_kernel import AppleKernel
from ._apple_mlx import mlx_kernels
from ._apple_torch import torch_kernels

APPLE_KERNELS = (*mlx_kernels(), *torch_kernels())


def of_wheels(wheels: Sequence[Path]) -> Iterator[Tuple[AppleKernel, str, Path]]:
    """Each kernel with its package's name and version, and the wheel. Raises ValueError for the wheel of another package,
    and for a file that is not there."""
    for wheel in wheels:
        package, _, rest = wheel.name.partition("-")
        chosen = [kernel for kernel in APPLE_KERNELS if kernel.package == package]
        if not chosen or not wheel.name.endswith(".whl"):
            known = ", ".join(sorted({f"{one.package}-*.whl" for one in APPLE_KERNELS}))
            raise ValueError(f"'{wheel}': expected one of {known}, for macOS")
        if not wheel.is_file():
            raise ValueError(f"'{wheel}': there is no such file")
        for kernel in chosen:
            yield kernel, f"{package.replace('_', '-')} {rest.partition('-')[0]}, as Apple compiled it", wheel
