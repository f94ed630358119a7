"""Sorts, scans and reductions."""

import numpy as np

from assay.metal import unset

from .case import case

SORT, SCAN = "Sources/Shaders/sort/radix_sort.metal", "Sources/Shaders/scan/prefix_scan.metal"
REDUCTION = "Sources/Shaders/reduction/parallel_reduce.metal"
ZK = "carni-ships/zkMetal"
BABY_BEAR = 2**31 - 2**27 + 1


def numbers(r, count, below=2**32):
    return r.integers(0, below, count, dtype=np.uint64).astype(np.uint32)


def falling_sand(library, r, size):
    entries = numbers(r, 4 * size, 1000).reshape(size, 4)
    expected, steps = np.sort(entries[:, 0]), size.bit_length() - 1
    for stage in range(steps):
        for step in range(stage + 1):
            width = 1 << (stage - step)
            library.sort_kernel(entries, np.array([width, 2 * width, step, size], np.uint32), grid=size // 2)
    return [(entries[:, 0], expected, 0)]


@case("thebasilisk/falling-sand", "src/shaders.metal", "sort_kernel")
def _(library, r):
    return falling_sand(library, r, 16)


@case("thebasilisk/falling-sand", "src/shaders.metal", "offset_kernel")
def _(library, r):
    keys = np.sort(numbers(r, 50, 20))
    entries, offsets = np.zeros((51, 4), np.uint32), np.full(64, 50, np.uint32)
    entries[:50, 0] = keys
    library.offset_kernel(entries, offsets, np.array([50], np.uint32), grid=50)
    expected = np.full(64, 50, np.uint32)
    expected[np.unique(keys)] = np.searchsorted(keys, np.unique(keys))
    return [(offsets, expected, 0)]


def histograms(library, keys, shift, tiles):
    return library.radix_histogram(keys, unset((tiles, 256), "uint32"), len(keys), shift, grid=256 * tiles, group=256)


def digits(keys, shift, tiles):
    return [np.bincount(keys[4096 * t : 4096 * (t + 1)] >> shift & 255, minlength=256) for t in range(tiles)]


@case(ZK, SORT, "radix_histogram")
def _(library, r):
    keys = numbers(r, 5000)
    return [(histograms(library, keys, 8, 2), digits(keys, 8, 2), 0)]


def offsets_of(counts):
    before = np.cumsum(counts.sum(0)) - counts.sum(0)
    return (before + np.cumsum(counts, 0) - counts).astype(np.uint32)


@case(ZK, SORT, "radix_prefix_sum")
def _(library, r):
    counts = numbers(r, 3 * 256, 50).reshape(3, 256)
    return [(library.radix_prefix_sum(counts, unset((3, 256), "uint32"), 3, grid=256, group=256), offsets_of(counts), 0)]


@case(ZK, SORT, "radix_scatter")
def _(library, r):
    keys = numbers(r, 5000)
    offsets = offsets_of(np.array(digits(keys, 16, 2)))
    got = library.radix_scatter(keys, unset(5000, "uint32"), offsets, 5000, 16, grid=512, group=256)
    return [(got, keys[np.argsort(keys >> 16 & 255, kind="stable")], 0)]


@case(ZK, SORT, "radix_scatter_kv")
def _(library, r):
    keys, values = numbers(r, 4096), numbers(r, 4096)
    offsets, order = offsets_of(np.array(digits(keys, 0, 1))), np.argsort(keys & 255, kind="stable")
    out = unset(4096, "uint32"), unset(4096, "uint32")
    got = library.radix_scatter_kv(keys, out[0], values, out[1], offsets, 4096, 0, grid=256, group=256)
    return [(got[0], keys[order], 0), (got[1], values[order], 0)]


def scan(name, dtype, is_inclusive):
    @case(ZK, SCAN, name)
    def _(library, r):
        values = r.integers(0, 2**20, 300).astype(dtype)
        got, sums = library[name](values, unset(300, dtype), unset(3, dtype), 300, grid=192, group=64)
        blocks = np.pad(values, (0, 84)).reshape(3, 128)
        expected = np.cumsum(blocks, 1, dtype=dtype) - (0 if is_inclusive else blocks)
        return [(got, expected.ravel()[:300], 0), (sums, blocks.sum(1, dtype=dtype), 0)]


scan("inclusive_scan_u32", "uint32", True)
scan("exclusive_scan_u32", "uint32", False)
scan("inclusive_scan_u64", "uint64", True)


@case(ZK, SCAN, "propagate_block_sum_u32")
def _(library, r):
    values, sums = numbers(r, 300, 1000), np.array([0, 5, 70], np.uint32)
    expected = values + np.repeat(sums, 128)[:300]
    library.propagate_block_sum_u32(values, sums, 300, grid=192, group=64)
    return [(values, expected, 0)]


@case(ZK, REDUCTION, "reduce_sum_babybear")
def _(library, r):
    values = numbers(r, 500, BABY_BEAR)
    got = library.reduce_sum_babybear(values, unset(4, "uint32"), 500, grid=512, group=128)
    return [(got, [values[k : k + 128].sum(dtype=np.uint64) % BABY_BEAR for k in range(0, 512, 128)], 0)]


@case(ZK, REDUCTION, "reduce_min_max_u32")
def _(library, r):
    values = numbers(r, 500)
    got = library.reduce_min_max_u32(values, unset((4, 2), "uint32"), 500, grid=512, group=128)
    return [(got, [(part.min(), part.max()) for part in np.split(values, [128, 256, 384])], 0)]


def prefix_sum(library, name, items, sums):
    library[name](items, sums, np.array([64, 128, 300], np.uint32), grid=192, group=64)


@case("schwa/Compute", "Sources/Examples/Examples/PrefixSum/PrefixSumGPU.metal", "reduce_downsweep")
def _(library, r):
    items, sums = numbers(r, 300, 1000), np.zeros(3, np.uint32)
    blocks = np.pad(items, (0, 84)).reshape(3, 128)
    prefix_sum(library, "reduce_downsweep", items, sums)
    return [(items, (np.cumsum(blocks, 1) - blocks).ravel()[:300], 0), (sums, blocks.sum(1), 0)]


@case("schwa/Compute", "Sources/Examples/Examples/PrefixSum/PrefixSumGPU.metal", "add_block_sums")
def _(library, r):
    items, sums = numbers(r, 300, 1000), np.array([0, 9, 100], np.uint32)
    expected = items + np.repeat(sums, 128)[:300]
    prefix_sum(library, "add_block_sums", items, sums)
    return [(items, expected, 0)]


@case("schwa/Compute", "Sources/Examples/Examples/BitonicSort/BitonicSort.metal", "bitonicSort")
def _(library, r):
    entries = numbers(r, 13)
    expected = np.sort(entries)
    for stage in range(4):
        for step in range(stage + 1):
            width = 1 << (stage - step)
            library.bitonicSort(13, width, 2 * width - 1, step, entries, grid=8)
    return [(entries, expected, 0)]
