"""Kernels of the gallery's operations that are wrong for few sizes, layouts or magnitudes, and right ones that take all."""

import ctypes

import numpy as np

import formula_right_kernels as right
import formula_right_sequences as sequences

f32 = np.float32


def named(name, fn):
    fn.__name__ = name
    return fn


def wrong_where(kernel, is_wrong, name):
    """Adds 1/8 to the last result where the extents say so."""

    def wrong(p):
        y = np.array(kernel(p))
        if y.size and is_wrong(**p.extents):
            y.reshape(-1)[-1] += y.dtype.type(0.125)
        return y

    return named(name, wrong)


def without_tail(tile, remainders=(1, 2, 3)):
    """A softmax whose sum ends with the last whole tile where few elements follow it."""

    def dropped(p):
        D = p.x.shape[-1]
        rest = D % tile if D > tile and D % tile in remainders else 0
        e = np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf))
        return e / e[..., : D - rest].sum(-1, keepdims=True)

    return named(f"without_the_tail_of_{tile}", dropped)


def rms_without_tail(tile):
    def dropped(p):
        D = p.x.shape[-1]
        rest = D % tile if D > tile and D % tile in (1, 2, 3) else 0
        mean = (p.x * p.x)[..., : D - rest].sum(-1, keepdims=True) / f32(max(D, 1))
        return p.x / np.sqrt(mean + f32(2.0**-17)) * p.weight

    return named(f"squares_without_the_tail_of_{tile}", dropped)


def at(address, shape, strides, dtype):
    """What lies at an address."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if not size:
        return np.zeros(shape, dtype)
    flat = np.frombuffer((ctypes.c_char * size).from_address(address), dtype)
    return flat.reshape(shape).copy() if strides is None else np.lib.stride_tricks.as_strided(flat, shape, strides).copy()


def reading(kernel, read, name):
    """The kernel on arrays that are read in a way of its own."""

    def of_arrays(p):
        class Own:
            extents = p.extents

        for one, array in vars(p).items():
            if isinstance(array, np.ndarray):
                setattr(Own, one, read(array))
        return kernel(Own)

    return named(name, of_arrays)


def ignoring_the_pitch(x):
    """Right for contiguous arrays, and for those whose last axis is strided."""
    follows = x.ndim > 1 and x.strides[-1] == x.itemsize and x.strides[0] > x.itemsize
    return at(x.ctypes.data, x.shape, None, x.dtype) if follows else x


def from_an_aligned_address(multiple):
    def read(x):
        return at(x.ctypes.data // multiple * multiple, x.shape, None, x.dtype) if x.flags.c_contiguous else x

    return read


def vectors_from_an_aligned_address(x):
    """Right where the rows' starts are a multiple of 16, or none is."""
    return at(x.ctypes.data // 16 * 16, x.shape, None, x.dtype) if x.flags.c_contiguous and x.ctypes.data % 16 == 12 else x


def with_the_size_of_its_strides(x):
    if not any(stride < 0 for stride in x.strides):
        return x
    return x[tuple(slice(None, None, -1) if stride < 0 else slice(None) for stride in x.strides)]


def backwards_along_rows_only(x):
    return x[::-1] if x.ndim > 1 and x.strides[0] < 0 else x


def first_row_of_repeated_ones(x):
    if x.ndim < 2 or x.strides[0] != 0 or len(x) < 2:
        return x
    return np.concatenate([x[:1], np.zeros_like(x[1:])])


def by_strides(x):
    """Element by element from its address, as a kernel in C takes strides."""
    return np.lib.stride_tricks.as_strided(x, x.shape, x.strides).copy()


def softmax_from(first, e=np.exp):
    """A running maximum that begins at a number."""

    def of(p):
        m = p.x.max(-1, keepdims=True, initial=f32(first))
        terms = e(p.x - m)
        return terms / terms.sum(-1, keepdims=True)

    return named(f"maximum_from_{first:g}", of)


def maximum_within(most):
    def of(p):
        e = np.exp(p.x - np.clip(p.x.max(-1, keepdims=True, initial=-np.inf), -most, most))
        return e / e.sum(-1, keepdims=True)

    return named(f"maximum_within_{most:g}", of)


def maximum_as_whole_number(p):
    m = np.nan_to_num(p.x.max(-1, keepdims=True, initial=-np.inf), posinf=0, neginf=0)
    whole = np.where(np.abs(m) < 1e18, m, 0).astype(np.int64).astype(np.int32).astype(f32)
    e = np.exp(p.x - whole)
    return e / e.sum(-1, keepdims=True)


def empty_where_the_first_block_is(block):
    """Takes a row for masked if its first block is, and gives NaN."""

    def of(p):
        y = right.softmax_plain(p)
        masked = (p.x[..., :block] == -np.inf).all(-1) & (p.x.shape[-1] > block)
        y[masked] = np.nan
        return y

    return named(f"masked_by_the_first_{block}", of)


def rms_by_a_square_of_squares(p):
    s = (p.x * p.x).mean(-1, keepdims=True) + f32(1)
    return right.rms_plain(p) * (s * s * (f32(1) / (s * s)))


def small_numbers_are_zero(p):
    x = np.where((np.abs(p.x) > 1e-30) & (np.abs(p.x) < 1e-8), f32(0), p.x)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + f32(2.0**-17)) * p.weight


def large_numbers_are_cut(p):
    x = np.clip(p.x, f32(-1e12), f32(1e12))
    return x / np.sqrt((p.x * p.x).mean(-1, keepdims=True) + f32(2.0**-17)) * p.weight


def products_within_half(p):
    y = p.a @ p.b
    return np.where((np.abs(y) > 1e7) & (np.abs(y) < 1e30), np.sign(y) * f32(1e7), y)


def half_read_at_even_halves(p):
    x = from_an_aligned_address(4)(p.x).astype(f32)
    e = np.exp(x - x.max(-1, keepdims=True, initial=-np.inf))
    return (e / e.sum(-1, keepdims=True)).astype(np.float16)


FAULTY_SIZES = {
    "softmax": [
        wrong_where(right.softmax_plain, lambda N, D: 260 <= D <= 500, "rows_of_260_to_500"),
        wrong_where(right.softmax_plain, lambda N, D: 1030 <= D <= 1700, "rows_past_1030"),
        wrong_where(right.softmax_plain, lambda N, D: 2100 <= D <= 3200, "rows_past_2100"),
        wrong_where(right.softmax_plain, lambda N, D: 300 <= N <= 460, "rows_between_300_and_460"),
        wrong_where(right.softmax_plain, lambda N, D: N > 128 and N % 96 == 1, "last_row_of_tiles_of_96"),
        wrong_where(right.softmax_plain, lambda N, D: D > 64 and D % 80 == 79, "one_less_than_tiles_of_80"),
        wrong_where(right.softmax_plain, lambda N, D: N >= 65 and D >= 65, "both_from_65"),
        *(without_tail(tile) for tile in (24, 48, 80, 96, 100, 112, 160, 192)),
    ],
    "rms_norm": [
        wrong_where(right.rms_plain, lambda N, D: 130 <= D <= 250, "rows_of_130_to_250"),
        wrong_where(right.rms_plain, lambda N, D: N * D > 20_000, "more_than_20000_elements"),
        *(rms_without_tail(tile) for tile in (48, 100)),
    ],
    "matmul": [wrong_where(right.matmul_blas, lambda M, K, N: 140 <= K <= 250, "sums_of_140_to_250")],
    "padded_attention": [
        wrong_where(sequences.RIGHT["padded_attention"][0], lambda H, T, S, D: S >= 500 and D >= 64, "heads_of_64"),
        wrong_where(sequences.RIGHT["padded_attention"][0], lambda H, T, S, D: 70 <= S <= 120, "keys_70_to_120"),
    ],
}  # fmt: skip

FAULTY_LAYOUTS = {
    "softmax": [
        reading(right.softmax_plain, ignoring_the_pitch, "ignoring_the_pitch"),
        reading(right.softmax_plain, from_an_aligned_address(16), "aligned_to_16"),
        reading(right.softmax_plain, from_an_aligned_address(8), "aligned_to_8"),
        reading(right.softmax_plain, vectors_from_an_aligned_address, "aligned_at_12"),
        reading(right.softmax_plain, with_the_size_of_its_strides, "negative_strides"),
        reading(right.softmax_plain, backwards_along_rows_only, "negative_pitch"),
        reading(right.softmax_plain, first_row_of_repeated_ones, "stride_of_0"),
    ],
    "rms_norm": [
        reading(right.rms_plain, ignoring_the_pitch, "ignoring_the_pitch"),
        reading(right.rms_plain, from_an_aligned_address(16), "aligned_to_16"),
    ],
    "matmul": [
        reading(right.matmul_blas, ignoring_the_pitch, "ignoring_the_pitch"),
        reading(right.matmul_blas, with_the_size_of_its_strides, "negative_strides"),
    ],
}  # fmt: skip

FAULTY_MAGNITUDES = {
    "softmax": [
        *(softmax_from(first) for first in (-1e4, -65504, -1e30)),
        *(maximum_within(most) for most in (1e6, 1e15)),
        maximum_as_whole_number,
        *(empty_where_the_first_block_is(block) for block in (64, 300, 1024)),
    ],
    "rms_norm": [rms_by_a_square_of_squares, small_numbers_are_zero, large_numbers_are_cut],
    "matmul": [products_within_half],
}  # fmt: skip


def blocked(width):
    """The sum over blocks of a width, each from its own zero."""

    def total(terms):
        parts = [terms[..., i : i + width].sum(-1, keepdims=True) for i in range(0, terms.shape[-1], width)]
        return sum(parts, np.zeros((*terms.shape[:-1], 1), terms.dtype))

    return total


def chain(terms):
    total = np.zeros((*terms.shape[:-1], 1), terms.dtype)
    for d in range(terms.shape[-1]):
        total = total + terms[..., d : d + 1]
    return total


def pairwise(terms):
    while terms.shape[-1] > 1:
        half = terms.shape[-1] // 2
        rest = terms[..., 2 * half :]
        terms = np.concatenate([terms[..., :half] + terms[..., half : 2 * half], rest], -1)
    return terms if terms.shape[-1] else np.zeros((*terms.shape[:-1], 1), terms.dtype)


def softmax_by(total, name):
    def of(p):
        e = np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf))
        return e / total(e)

    return named(name, of)


def softmax_of_blocks(width):
    """A running maximum over blocks; a block of -inf alone changes nothing."""

    def of(p):
        m, s = np.full((*p.x.shape[:-1], 1), f32(-np.inf)), np.zeros((*p.x.shape[:-1], 1), f32)
        for i in range(0, p.x.shape[-1], width):
            x = p.x[..., i : i + width]
            new = np.maximum(m, x.max(-1, keepdims=True))
            base = np.where(new == -np.inf, f32(0), new)
            s = s * np.exp(m - base) + np.exp(x - base).sum(-1, keepdims=True)
            m = new
        y = np.exp(p.x - np.where(m == -np.inf, f32(0), m)) / s
        return y

    return named(f"softmax_of_blocks_of_{width}", of)


def rms_by(total, name):
    def of(p):
        mean = total(p.x * p.x) / f32(max(p.x.shape[-1], 1))
        return p.x / np.sqrt(mean + f32(2.0**-17)) * p.weight

    return named(name, of)


RIGHT = {
    "softmax": [
        softmax_by(blocked(96), "blocks_of_96"),
        softmax_by(pairwise, "by_halves"),
        softmax_of_blocks(64),
        softmax_of_blocks(1000),
        reading(right.softmax_plain, by_strides, "softmax_by_strides"),
        reading(right.softmax_in_float64, by_strides, "softmax_in_float64"),
    ],
    "rms_norm": [
        rms_by(blocked(48), "rms_by_blocks_of_48"),
        rms_by(pairwise, "rms_by_halves"),
        rms_by(chain, "rms_by_a_chain"),
        reading(right.rms_einsum, by_strides, "rms_by_strides"),
    ],
    "layer_norm": [reading(right.layer_plain, by_strides, "layer_by_strides"), right.layer_two_pass_by_var],
    "matmul": [reading(right.matmul_blas, by_strides, "matmul_by_strides"), right.matmul_split],
    "padded_attention": [sequences.RIGHT["padded_attention"][0]],
    "causal_attention": [right.attention_flash],
}  # fmt: skip
