"""Functions and modules of PyTorch as formulas: traced onto the graph of an operation, for each set of sizes.

table.py      a row for each function of PyTorch, in files by theme
tensor.py     the tensors that a function is traced with
dispatch.py   how a call becomes a row
trace.py      a function's graph
reference.py  the operation that a function or module is; its kernels are called with tensors (calls.py)

It is imported once a function of PyTorch is judged; the rest of assay needs no PyTorch.
"""

from .reference import TorchOperation as TorchOperation
