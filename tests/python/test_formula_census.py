"""A right kernel that counts: which sizes, tails of tiles, pairs, layouts and magnitudes a run's calls had."""

import re

import numpy as np
import pytest

import assay
from assay import gallery
from formula_right_kernels import rms_plain
from formula_settings import SEED

TILES = (24, 32, 48, 64, 80, 96, 100, 112, 128, 160, 192, 256)


class Counting:
    """Keeps what it was called with."""

    __name__ = "counting"

    def __init__(self, kernel):
        self.kernel, self.sizes, self.arrays = kernel, [], []

    def __call__(self, p):
        self.sizes.append(dict(p.extents))
        largest = np.abs(p.x[np.isfinite(p.x)]).max(initial=0)
        self.arrays.append((p.x.strides, p.x.ctypes.data % 16, p.x.shape, largest, np.median(p.x) if p.x.size else 0))
        return self.kernel(p)


@pytest.fixture(scope="module")
def full():
    counting = Counting(rms_plain)
    result = assay.gate(gallery.rms_norm, counting, filter="outputs", reach="full", seed=SEED, own_process=False)
    result.raise_for_failure()
    return counting, result


@pytest.mark.parametrize("extent", ["N", "D"])
def test_no_interval_of_sizes_is_left_out(full, extent):
    sizes = sorted({one[extent] for one in full[0].sizes})
    gaps = [(a + 1, b - 1) for a, b in zip(sizes, sizes[1:]) if 2 * (b - 1) >= 3 * (a + 1)]
    assert sizes[-1] == 4097 and not gaps


@pytest.mark.parametrize("extent", ["N", "D"])
def test_each_tail_of_each_tile_is_tried(full, extent):
    sizes = {one[extent] for one in full[0].sizes}
    missing = [(tile, tail) for tile in TILES for tail in (-1, 1, 2, 3)
               if not any(size >= tile - 1 and (size - tail) % tile == 0 for size in sizes)]  # fmt: skip
    assert not missing


def test_pairs_are_large_at_once(full):
    pairs = [one for one in full[0].sizes if all(65 <= size <= 1030 for size in one.values())]
    assert len(pairs) >= 2
    assert {"N": 512, "D": 64} in full[0].sizes and {"N": 64, "D": 512} in full[0].sizes


def test_each_layout_is_tried(full):
    strides = [(one, shape) for one, _, shape, _, _ in full[0].arrays if min(shape) > 1]
    assert any(rows > 4 * shape[1] and columns == 4 for (rows, columns), shape in strides), "a pitch"
    assert any(columns == 8 for (_, columns), _ in strides), "every second element"
    assert any(columns == -4 for (_, columns), _ in strides) and any(rows < 0 for (rows, _), _ in strides)
    assert any(rows == 0 for (rows, _), _ in strides)
    assert {address for _, address, _, _, _ in full[0].arrays} >= {0, 4, 8, 12}


def test_magnitudes_reach_over_the_range_of_the_type(full):
    exponents = sorted({int(np.log2(one[3])) for one in full[0].arrays if one[3] > 0})
    assert exponents[0] < -140 and exponents[-1] >= 127
    assert max(b - a for a, b in zip(exponents, exponents[1:])) <= 18, "two parts of 36, and what a few normal numbers are off"
    offsets = [one[4] for one in full[0].arrays]
    assert min(offsets) < -1e20 and max(offsets) > 1e20


def test_the_run_prints_the_widest_interval_that_was_not_judged(full):
    table = full[1].table
    assert "widest interval of sizes that no property compared with the reference" in table
    for extent in ("N", "D"):
        first, last = re.search(rf"{extent} (\d+) to (\d+)", table).groups()
        assert int(last) < 1.5 * int(first)
    sizes = full[1].record["runs"][0]["properties"][0]["sizes"]
    assert sizes["N"][-1] == sizes["D"][-1] == 4097


def test_a_run_without_reach_says_what_it_left_out():
    table = assay.gate(gallery.rms_norm, rms_plain, cases=5, filter="outputs", reach="quick", seed=SEED).table
    assert re.search(r"D \d+ to \d+", table)
