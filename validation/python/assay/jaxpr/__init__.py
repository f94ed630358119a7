"""Functions of JAX as formulas: the jaxpr of a function, for each set of sizes, onto the graph of an operation.

table.py      a row for each primitive, in files by theme
trace.py      a function's graph: its jaxpr, equation by equation
control.py    primitives that have jaxprs of their own: jit, scan, while, cond, custom derivatives
reference.py  the operation that a function is; its kernels are called with JAX's arrays (calls.py)

It is imported once a function of JAX is judged; the rest of assay needs no JAX.
"""

from .reference import JaxOperation as JaxOperation
