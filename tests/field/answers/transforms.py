"""Number-theoretic transforms, products and polynomials in finite fields, and transposes."""

import numpy as np

from assay.metal import unset

from .case import case

ZK = "carni-ships/zkMetal"
BABY_BEAR, GOLDILOCKS = 2**31 - 2**27 + 1, 2**64 - 2**32 + 1
BN254 = 0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001


def field(r, count, modulus):
    return [int.from_bytes(r.bytes(40), "little") % modulus for _ in range(count)]


def root(modulus, size, generator):
    return pow(generator, (modulus - 1) // size, modulus)


def reversed_bits(values):
    bits = len(values).bit_length() - 1
    return [values[int(f"{n:0{bits}b}"[::-1], 2)] for n in range(len(values))]


def transform(values, w, modulus):
    """The sum of values[k] w^(k n) over k, by the definition."""
    return [sum(v * pow(w, k * n, modulus) for k, v in enumerate(values)) % modulus for n in range(len(values))]


def ntt(file, prefix, dtype, modulus, generator, bit_reversal):
    size, path = 32, f"Sources/Shaders/ntt/{file}"
    w = root(modulus, size, generator)

    def butterflies(library, name, values, factors, stages):
        data = np.array(values, dtype)
        for stage in stages:
            grid = len(data) // (4 if "radix4" in name else 2)
            library[prefix + name](data, np.array(factors, dtype), len(data), stage, grid=grid)
        return data

    powers = [pow(w, n, modulus) for n in range(size)]
    inverse = [pow(w, -n, modulus) for n in range(size)]

    @case(ZK, path, prefix + "ntt_butterfly")
    def _(library, r):
        values = field(r, size, modulus)
        got = butterflies(library, "ntt_butterfly", reversed_bits(values), powers, range(5))
        return [(got, np.array(transform(values, w, modulus), dtype), 0)]

    @case(ZK, path, prefix + "ntt_butterfly_radix4")
    def _(library, r):
        values = field(r, 16, modulus)  # four stages, two at a time
        got = butterflies(library, "ntt_butterfly_radix4", reversed_bits(values), powers[::2], (0, 2))
        return [(got, np.array(transform(values, w * w, modulus), dtype), 0)]

    @case(ZK, path, prefix + "intt_butterfly")
    def _(library, r):
        values = field(r, size, modulus)
        got = butterflies(library, "intt_butterfly", values, inverse, range(4, -1, -1))
        return [(got, np.array(reversed_bits(transform(values, pow(w, -1, modulus), modulus)), dtype), 0)]

    @case(ZK, path, prefix + "ntt_scale")
    def _(library, r):
        values, factor = field(r, 20, modulus), field(r, 1, modulus)
        data = np.array(values, dtype)
        library[prefix + "ntt_scale"](data, np.array(factor, dtype), 20, grid=32)
        return [(data, np.array([v * factor[0] % modulus for v in values], dtype), 0)]

    @case(ZK, path, prefix + bit_reversal)
    def _(library, r):
        values = field(r, size, modulus)
        data = np.array(values, dtype)
        library[prefix + bit_reversal](data, size, 5, grid=size)
        return [(data, np.array(reversed_bits(values), dtype), 0)]


ntt("ntt_babybear.metal", "bb_", np.uint32, BABY_BEAR, 31, "ntt_bitrev")
ntt("ntt_goldilocks.metal", "gl_", np.uint64, GOLDILOCKS, 7, "ntt_bitrev_inplace")

FIELDS = "Sources/Shaders/fields/batch_field_ops.metal"


def limbs(values):
    """256-bit numbers as the kernels hold them: 8 words."""
    return np.frombuffer(b"".join(v.to_bytes(32, "little") for v in values), np.uint32).reshape(-1, 8).copy()


def montgomery(values):
    """The numbers whose words the kernels hold: v stands for v 2^256."""
    return limbs([v * 2**256 % BN254 for v in values])


@case(ZK, FIELDS, "batch_mul_bn254")
def _(library, r):
    a, b = field(r, 9, BN254), field(r, 9, BN254)
    got = library.batch_mul_bn254(montgomery(a), montgomery(b), unset((9, 8), "uint32"), 9, grid=32)
    return [(got, montgomery([x * y for x, y in zip(a, b)]), 0)]


@case(ZK, FIELDS, "batch_add_bn254")
def _(library, r):
    a, b = field(r, 9, BN254), field(r, 9, BN254)
    got = library.batch_add_bn254(montgomery(a), montgomery(b), unset((9, 8), "uint32"), 9, grid=32)
    return [(got, montgomery([x + y for x, y in zip(a, b)]), 0)]


@case(ZK, FIELDS, "batch_inverse_bn254")
def _(library, r):
    a = field(r, 20, BN254)
    got = library.batch_inverse_bn254(montgomery(a), unset((20, 8), "uint32"), 20, grid=32, group=32)
    return [(got, montgomery([pow(x, -1, BN254) for x in a]), 0)]


@case(ZK, "Sources/Shaders/poly/horner_eval.metal", "horner_eval_bn254")
def _(library, r):
    terms, points = field(r, 12, BN254), field(r, 5, BN254)
    got = library.horner_eval_bn254(montgomery(terms), montgomery(points), unset((5, 8), "uint32"), 12, 5, grid=8)
    return [(got, montgomery([sum(c * pow(x, n, BN254) for n, c in enumerate(terms)) for x in points]), 0)]


TRANSPOSE = "Sources/Shaders/utility/matrix_transpose.metal"


def transpose(name, dtype, limbs_of_one):
    @case(ZK, TRANSPOSE, name)
    def _(library, r):
        matrix = r.integers(0, 2**32, (20, 37, limbs_of_one)).astype(dtype)
        got = library[name](matrix, unset((37, 20, limbs_of_one), dtype), (20, 37), grid=(48, 32), group=(16, 16))
        return [(got, matrix.transpose(1, 0, 2), 0)]


transpose("matrix_transpose_u32", "uint32", 1)
transpose("matrix_transpose_u64", "uint64", 1)
transpose("matrix_transpose_fr", "uint32", 8)
