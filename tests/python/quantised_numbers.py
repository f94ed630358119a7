"""Small formats as kernels compute them, from the bits: written apart from the package, whose judgement of them is tested."""

import numpy as np

F = np.float32
WIDTHS = {"e4m3": (4, 3, 7), "e5m2": (5, 2, 15), "e2m1": (2, 1, 1)}  # exponent, mantissa, bias


def bits_of(array):
    return np.asarray(array).view(np.uint8)


def decoded(bits, name, bias=None, subnormals=True, nan=True):
    """Numbers of bits, in float32."""
    exponent_bits, mantissa_bits, usual = WIDTHS[name]
    bias = usual if bias is None else bias
    b = bits.astype(np.int64)
    mantissa, exponent = b & ((1 << mantissa_bits) - 1), b >> mantissa_bits & ((1 << exponent_bits) - 1)
    part = mantissa / 2**mantissa_bits
    value = np.where(exponent == 0, part * 2.0 ** (1 - bias) * subnormals, (1 + part) * 2.0 ** (exponent - bias))
    if name == "e4m3" and nan:
        value = np.where(b & 0x7F == 0x7F, np.nan, value)
    return np.where(b >> (exponent_bits + mantissa_bits) & 1, -value, value).astype(F)


def powers(bits, bias=127):
    """Numbers of e8m0, in float32."""
    return np.ldexp(F(1), bits.astype(np.int64) - bias).astype(F)


def encoded(x, name, round=np.rint, largest=None):
    """Bits of x rounded to nearest, ties to even, by the exponent of each element; beyond the largest it saturates."""
    exponent_bits, mantissa_bits, bias = WIDTHS[name]
    largest = largest or {"e4m3": 448.0, "e5m2": 57344.0, "e2m1": 6.0}[name]
    x = np.asarray(x, np.float64)
    size = np.minimum(np.abs(x), largest)
    exponent = np.maximum(np.frexp(np.where(size > 0, size, 1))[1] - 1, 1 - bias)
    steps = round(np.ldexp(size, mantissa_bits - exponent)).astype(np.int64)  # the next power of two carries over
    code = ((exponent + bias - 1) << mantissa_bits) + steps
    return (np.where(size > 0, code, 0) | np.signbit(x).astype(np.int64) << (exponent_bits + mantissa_bits)).astype(np.uint8)


def encoded_by_search(x, name):
    """The same by the distance to every number of the format."""
    count = {"e4m3": 0x7F, "e5m2": 0x7C, "e2m1": 8}[name]
    numbers = decoded(np.arange(count), name).astype(np.float64)
    middles = (numbers[1:] + numbers[:-1]) / 2
    size = np.abs(np.asarray(x, np.float64))
    low = np.searchsorted(middles, size, side="left")  # of equal distances the lower
    is_tie = (low < count - 1) & (size == middles[np.minimum(low, count - 2)])
    code = np.where(is_tie, low + low % 2, low)
    return (code | np.signbit(np.asarray(x)).astype(np.int64) << sum(WIDTHS[name][:2])).astype(np.uint8)


def nibbles(packed, high_first=False):
    """The codes of bytes, along the last axis."""
    low, high = packed & 15, packed >> 4
    both = (high, low) if high_first else (low, high)
    return np.stack(both, -1).reshape(*packed.shape[:-1], 2 * packed.shape[-1])


def blocks(x, size):
    """[N, K] as [N, blocks, size], filled up with zeros."""
    padded = np.pad(x, [(0, 0), (0, -x.shape[1] % size)])
    return padded.reshape(x.shape[0], padded.shape[1] // size, size)


def spread(scale, size, columns):
    """The scale of each element of a row of this many columns."""
    return np.repeat(scale, size, axis=1)[:, :columns]


def divided(x, scale):
    """x / scale, and 0 where the scale is."""
    return np.where(scale == 0, F(0), x / np.where(scale == 0, F(1), scale))
