"""Metal kernels on NumPy arrays, on any machine, with every access checked.

    library = assay.metal.compile(source)
    y = library.square(x, assay.metal.unset((256,), "float32"), grid=256, group=64)
    library.square.explain(x, assay.metal.unset((256,), "float32"), grid=256)  # which lines lose digits

compile   compiles a .metal text or file
load      reads a library that Apple's compiler has compiled
unset     stands for an output: memory that nobody has written
mlx       metal_kernel with the signature of mx.fast.metal_kernel
torch     compile_shader as torch.mps.compile_shader

docs/metal-run.md of the project says more.
"""

from __future__ import annotations

from . import mlx, torch
from ._arguments import Argument, Unset, unset
from ._compiled import CompiledKernel, CompiledLibrary, load
from ._errors import CheckError, CompileError, Event, MetalError, MetalWarning, Report
from ._numerics import KernelNumerics, LineLoss, OutputError
from ._library import Kernel, Library, compile

__all__ = [
    "Argument",
    "CheckError",
    "CompileError",
    "CompiledKernel",
    "CompiledLibrary",
    "Event",
    "Kernel",
    "KernelNumerics",
    "Library",
    "LineLoss",
    "MetalError",
    "MetalWarning",
    "OutputError",
    "Report",
    "Unset",
    "compile",
    "load",
    "mlx",
    "torch",
    "unset",
]
