"""Databases, sums and searches."""

import numpy as np

from assay.metal import unset

from .case import case
from .searches import numbers

DATABASE = "AkimT13/MetalDB"


@case(DATABASE, "src/gpu_groupby.metal", "group_by")
def _(library, r):
    keys, values = numbers(r, 1000, 90), numbers(r, 1000, 1000)
    found, counts, sums = np.full(256, 2**32 - 1, np.uint32), np.zeros(256, np.uint32), np.zeros(256, np.uint32)
    library.group_by(keys, values, 1000, found, counts, sums, 256, grid=1024, group=256)
    order = np.argsort(found)[: len(np.unique(keys))]
    groups = [values[keys == key] for key in np.unique(keys)]
    return [
        (found[order], np.unique(keys), 0),
        (counts[order], [len(one) for one in groups], 0),
        (sums[order], [one.sum() for one in groups], 0),
    ]


@case(DATABASE, "src/gpu_scan_equals.metal", "filter_equals")
def _(library, r):
    values, rows = numbers(r, 500, 10), r.permutation(500).astype(np.uint32)
    out, count = np.zeros(500, np.uint32), np.zeros(1, np.uint32)
    library.filter_equals(values, rows, out, count, np.array([7, 500], np.uint32), grid=512, group=64)
    return [(np.sort(out[: count[0]]), np.sort(rows[values == 7]), 0)]


@case(DATABASE, "src/gpu_scan_range.metal", "filter_between")
def _(library, r):
    values, rows = numbers(r, 500, 100), r.permutation(500).astype(np.uint32)
    out, count = np.zeros(500, np.uint32), np.zeros(1, np.uint32)
    library.filter_between(values, rows, out, count, np.array([20, 40, 500], np.uint32), grid=512, group=64)
    return [(np.sort(out[: count[0]]), np.sort(rows[(values >= 20) & (values <= 40)]), 0)]


@case(DATABASE, "src/gpu_string_scan.metal", "stringScanEquals")
def _(library, r):
    words = [[b"copper", b"tin", b"gold", b"golden"][k] for k in r.integers(0, 4, 60)]
    offsets = np.cumsum([0] + [len(word) for word in words]).astype(np.int32)
    text, needle = (np.frombuffer(some, np.int8).copy() for some in (b"".join(words), b"gold"))
    got = library.stringScanEquals(text, offsets, needle, np.array([60, 4], np.uint32), unset(64, "uint32"), grid=64)
    return [(got[:60], [word == b"gold" for word in words], 0)]


@case(DATABASE, "src/gpu_sum.metal", "sum_partials")
def _(library, r):
    values = numbers(r, 1000)
    got = library.sum_partials(values, 1000, unset(4, "uint64"), grid=1024, group=256, threadgroup_memory=2048)
    return [(got, [values[k : k + 256].sum(dtype=np.uint64) for k in range(0, 1024, 256)], 0)]


@case(DATABASE, "src/gpu_sum.metal", "sum_reduce_partials")
def _(library, r):
    parts = r.integers(0, 2**40, 9, dtype=np.uint64)
    return [(library.sum_reduce_partials(parts, 9, unset(1, "uint64"), grid=32), [parts.sum()], 0)]


@case("marrony/metal-compute-pipeline", "Kernels.metal", "kernel_map")
def _(library, r):
    values = r.integers(-99, 99, 100).astype(np.int32)
    return [(library.kernel_map(values, unset(100, "int32"), grid=100), values**2, 0)]


@case("marrony/metal-compute-pipeline", "Kernels.metal", "kernel_reduce")
def _(library, r):
    values = r.integers(-99, 99, 256).astype(np.int32)
    expected = values.reshape(4, 64).sum(1)
    return [(library.kernel_reduce(values, unset(4, "int32"), grid=256, group=64), expected, 0)]


@case("matty234/metal-motif-counting", "compute.metal", "find_motifs_in_encoded_sequnce")
def _(library, r):
    sequence, motifs = r.integers(0, 4, 2000).astype(np.int8), r.integers(0, 4, (5, 3)).astype(np.int8)
    result, lengths = np.zeros((2, 1000, 5), np.bool_), np.array([40, 60], np.int32)
    three, five = np.array([3], np.int32), np.array([5], np.int32)
    library.find_motifs_in_encoded_sequnce(sequence, lengths, motifs, three, five, result, grid=2)
    expected = np.zeros_like(result)
    for row in range(2):
        for at in range(lengths[row] - 3):
            expected[row, at] = (motifs == sequence[1000 * row + at : 1000 * row + at + 3]).all(1)
    return [(result, expected, 0)]
