"""Scales in tiles of 128 x 4, as cuBLAS reads them: products that read them so pass, and those that read them otherwise fail."""

from itertools import product

import numpy as np
import pytest
from quantised_numbers import F, bits_of, decoded
from quantised_right import flat

import assay
from assay._formats import formats, held, held_shape, numbers_of
from assay.quantised import nvfp4_product, quantise_mx

TILED = {"a_scale": "uint8 128x4", "w_scale": "uint8 128x4"}
SETTINGS = {
    "quick": {"cases": 5},
    "few sizes": {"cases": 5, "sizes": 6},
    "129 rows": {"cases": 5, "limits": {"M": 129, "N": 9, "G": 5}},
    "multiples": {"cases": 5, "extents": {"M": "multiple of 64", "G": "multiple of 4"}},
    "listed": {"cases": 5, "extents": {"M": [128, 200], "G": [4, 5]}},
}
SMALL = {"limits": {"M": 9, "N": 9, "G": 9}, "cases": 30, "reach": "none"}


def by_index(tiles, rows, columns):
    """Each scale at the place that cuBLAS's documentation gives it."""
    r, c = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    wide = -(-columns // 4)
    return tiles[512 * (r // 128 * wide + c // 4) + 16 * (r % 32) + 4 * (r % 128 // 32) + c % 4]


def by_axes(tiles, rows, columns):
    tall, wide = -(-rows // 128), -(-columns // 4)
    return tiles.reshape(tall, wide, 32, 4, 4).transpose(0, 3, 2, 1, 4).reshape(128 * tall, 4 * wide)[:rows, :columns]


def tile_by_tile(tiles, rows, columns):
    tall, wide = -(-rows // 128), -(-columns // 4)
    whole = np.zeros((128 * tall, 4 * wide), np.uint8)
    for at, tile in enumerate(tiles.reshape(-1, 512)):
        for part in range(4):  # 32 rows each
            first = 128 * (at // wide) + 32 * part
            whole[first : first + 32, 4 * (at % wide) : 4 * (at % wide) + 4] = tile.reshape(32, 16)[:, 4 * part : 4 * part + 4]
    return whole[:rows, :columns]


def in_rows(tiles, rows, columns):
    return tiles[: rows * columns].reshape(rows, columns)


def tiles_down(tiles, rows, columns):
    """The tiles one below the other first."""
    tall, wide = -(-rows // 128), -(-columns // 4)
    return by_index(tiles.reshape(wide, tall, 512).swapaxes(0, 1).reshape(-1), rows, columns)


def rows_of_tiles_swapped(tiles, rows, columns):
    tall, wide = -(-rows // 128), -(-columns // 4)
    return by_index(tiles.reshape(tall, wide, 512)[::-1].reshape(-1), rows, columns)


def with_the_other_stride(tiles, rows, columns):
    """That of the tiles below each other."""
    r, c = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    at = 512 * (r // 128 * -(-rows // 128) + c // 4) + 16 * (r % 32) + 4 * (r % 128 // 32) + c % 4
    return np.take(tiles, at, mode="wrap")


def parts_backwards(tiles, rows, columns):
    """The four parts of 32 rows in each tile."""
    return by_index(tiles.reshape(-1, 32, 4, 4)[:, :, ::-1].reshape(-1), rows, columns)


def parts_one_after_the_other(tiles, rows, columns):
    """Each part of 32 x 4 in 128 bytes of its own."""
    return by_index(tiles.reshape(-1, 4, 32, 4).swapaxes(1, 2).reshape(-1), rows, columns)


def without_the_last_rows(tiles, rows, columns):
    """Those of a tile that is not full, below full ones."""
    scales = by_index(tiles, rows, columns).copy()
    scales[rows // 128 * 128 or rows :] = 0
    return scales


def without_the_last_columns(tiles, rows, columns):
    scales = by_index(tiles, rows, columns).copy()
    scales[:, columns // 4 * 4 or columns :] = 0
    return scales


def rows_in_fours(tiles, rows, columns):
    """4 rows of 32 in the place of 32 rows of 4."""
    r, c = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    wide = -(-columns // 4)
    return tiles[512 * (r // 128 * wide + c // 4) + 16 * (r % 128 // 4) + 4 * (r % 4) + c % 4]


def product_with(read):
    def kernel(p):
        M, N, G = p.extents["M"], p.extents["N"], p.extents["G"]
        scales = [decoded(read(tiles, rows, G), "e4m3") for tiles, rows in ((p.a_scale, M), (p.w_scale, N))]
        a, w = (decoded(bits_of(q), "e2m1") * s[:, :, None] for q, s in zip((p.a, p.w), scales))
        return (flat(a) @ flat(w).T * p.tensor_scale).astype(F)

    return kernel


WRONG_ORDER = [in_rows, tiles_down, rows_of_tiles_swapped, with_the_other_stride, parts_backwards, parts_one_after_the_other,
               without_the_last_rows, without_the_last_columns, rows_in_fours]  # fmt: skip
OTHER_SETTINGS = [(tiles_down, "129 rows"), (rows_of_tiles_swapped, "listed"), (with_the_other_stride, "few sizes"),
                  (without_the_last_rows, "multiples")]  # fmt: skip


@pytest.mark.parametrize("sizes", [SMALL, SETTINGS["quick"], SETTINGS["few sizes"]], ids=["small", "quick", "few sizes"])
@pytest.mark.parametrize("read", [by_index, by_axes, tile_by_tile])
def test_a_product_that_reads_tiles_passes(read, sizes):
    result = assay.gate(nvfp4_product, product_with(read), dtypes=TILED, **sizes)
    assert result.passed, result.table


@pytest.mark.parametrize("read, setting", [*product(WRONG_ORDER, ["quick"]), *OTHER_SETTINGS])
def test_a_product_that_reads_them_otherwise_fails(read, setting):
    result = assay.gate(nvfp4_product, product_with(read), dtypes=TILED, **SETTINGS[setting])
    assert result["outputs"].verdict == "fail", result.table


@pytest.mark.parametrize("read", [by_index, tiles_down, parts_backwards, without_the_last_rows])
def test_scales_that_are_returned_in_another_order_fail(read):
    """The place of each scale is where `read` would look for it."""
    from quantised_right import RIGHT

    plain = next(kernel for operation, kernel, _ in RIGHT if operation is quantise_mx)

    def kernel(p):
        q, scale = plain(p)
        count = held_shape(scale.shape, formats()["e8m0"], "uint8 128x4")[0]
        places = read(np.arange(count), *scale.shape)
        tiles = np.zeros(count, np.uint8)
        tiles[places] = scale
        return q, tiles

    result = assay.gate(quantise_mx, kernel, cases=5, dtypes={"output1": "uint8 128x4"})
    assert result.passed == (read is by_index), result.table


@pytest.mark.parametrize("filler, passes", [(0, True), (3, False)])
def test_scales_are_returned_in_tiles_filled_up_with_0(filler, passes):
    from quantised_right import RIGHT

    plain = next(kernel for operation, kernel, _ in RIGHT if operation is quantise_mx)

    def kernel(p):
        q, scale = plain(p)
        tiles = held(numbers_of(scale, formats()["e8m0"], "uint8", scale.shape), formats()["e8m0"], "uint8 128x4")
        tiles[-1:] |= np.uint8(filler if scale.shape[0] % 128 or scale.shape[1] % 4 else 0)
        return q, tiles

    result = assay.gate(quantise_mx, kernel, cases=20, reach="none", dtypes={"output1": "uint8 128x4"})
    assert result.passed == passes, result.table
    if not passes:
        assert any("what fills the tiles" in one.explanation for one in result.failures.values()), result.table


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (128, 4), (129, 5), (300, 9)])
def test_what_is_tiled_is_read_again(shape):
    of = formats()["e8m0"]
    codes = np.random.default_rng(1).integers(1, 200, shape).astype(np.uint8)
    tiles = held(of.numbers[codes], of, "uint8 128x4")
    assert tiles.shape == held_shape(shape, of, "uint8 128x4")
    assert np.array_equal(by_index(tiles, *shape), codes)
    assert np.array_equal(numbers_of(tiles, of, "uint8 128x4", shape), of.numbers[codes])


@pytest.mark.parametrize("word, said", [
    ("uint32 128x4", "expected 'uint8 128x4', tiles with a byte for each scale"),
    ("uint8 128x4 axis 0", "expected 'uint8 128x4', tiles with a byte for each scale"),
    ("uint8 128x8", "expected how codes are held, such as"),
])  # fmt: skip
def test_other_tiles_are_refused(word, said):
    with pytest.raises(ValueError, match=said):
        assay.gate(nvfp4_product, product_with(by_index), dtypes={"a_scale": word})
    with pytest.raises(ValueError, match="but the array has 3 axes: expected 2"):
        assay.gate(nvfp4_product, product_with(by_index), dtypes={"a": "uint8 128x4"})
