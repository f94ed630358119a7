"""Kernels of formulas that are right but for the patterns and the sizes that people's arrays have."""

from types import SimpleNamespace

import numpy as np

import assay

from .gallery import attack, right, softmax
from .large_together import multiplied, product


@assay.operation(x="N, D", w="N, D")
def weighted(xp, x, w):
    return xp.cumulative_sum(x * w, axis=-1)


@assay.operation(table="V, D", at="N of index V")
def gathered(xp, table, at):
    return table[at]


def sums(p):
    with np.errstate(all="ignore"):
        return np.cumsum(p.x.astype(np.float64) * p.w, axis=-1).astype(np.float32)


def rows_of_table(p):
    return p.table[p.at].copy()


RIGHT = {softmax: right, product: multiplied, weighted: sums, gathered: rows_of_table}


def wrong_where(operation, name, holds):
    def kernel(p):
        y = np.array(RIGHT[operation](p))
        if min(p.extents.values()) > 2 and holds(p):
            y[...] = 0
        return y

    kernel.__name__ = f"wrong_of_{operation.name}_where_{name}"
    attack("values" if operation in (weighted, gathered) else "large", operation, cases=5, filter="^outputs$")(kernel)


def whole(x):
    return np.all(np.rint(x) == x)


def of_x(holds):
    """Of numbers that are not small integers, which many classes of values have."""
    return lambda p: not whole(p.x) and holds(p.x.astype(np.float64))


for name, holds in {
    "rows_ascend": lambda x: (np.diff(x) > 0).all(),
    "rows_descend": lambda x: (np.diff(x) < 0).all(),
    "all_lie_in_one_binade": lambda x: len(np.unique(np.frexp(x)[1])) == 1 and len(np.unique(x)) > x.size / 2,
    "all_lie_in_the_unit_interval": lambda x: (x > 0).all() and (x < 1).all() and len(np.unique(x)) > x.size / 2,
    "rows_are_centred": lambda x: (x.sum(-1) == 0).all() and (np.abs(x).max(-1) > 0).all(),
    "rows_are_constant": lambda x: (np.ptp(x, -1) == 0).all() and len(np.unique(x[:, 0])) == len(x),
    "all_are_one_number": lambda x: np.ptp(x) == 0 and abs(x.flat[0]) < 10,
    "a_relu_has_been": lambda x: (x >= 0).all() and 0.5 < (x == 0).mean() < 0.95 and x.max() < 10,
    "matrices_are_diagonal": lambda x: np.array_equal(x != 0, np.arange(x.size).reshape(x.shape) % (x.shape[1] + 1) == 0),
}.items():
    wrong_where(weighted, name, of_x(holds))
wrong_where(weighted, "inputs_are_equal", lambda p: np.array_equal(p.x, p.w) and np.ptp(p.x) > 0)
wrong_where(gathered, "indices_are_in_order", lambda p: len(p.at) > 4 and np.array_equal(p.at, np.arange(len(p.at))))
wrong_where(gathered, "indices_are_in_reverse", lambda p: len(p.at) > 4 and np.all(np.diff(p.at) == -1))
wrong_where(gathered, "indices_are_equal", lambda p: len(p.at) > 4 and np.ptp(p.at) == 0)
wrong_where(product, "factors_are_square", lambda p: p.a.shape[0] == p.a.shape[1] >= 64)
wrong_where(softmax, "sizes_are_whole_tiles", lambda p: min(p.x.shape) >= 64 and not any(n % 32 for n in p.x.shape))
wrong_where(softmax, "sizes_are_hundreds", lambda p: min(p.x.shape) >= 100 and not any(n % 100 for n in p.x.shape))
wrong_where(softmax, "rows_are_hundreds", lambda p: p.x.shape[1] >= 100 and p.x.shape[1] % 100 == 0)


@attack("large", filter="^many-rows$", cases=2)
def right_in_the_first_and_the_last_rows(p):
    y = np.zeros_like(p.x)
    for rows in slice(64), slice(-64, None):
        y[rows] = right(SimpleNamespace(x=p.x[rows]))
    return y
