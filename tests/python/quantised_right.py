"""Right kernels of assay.quantised, three makings of each: (operation, kernel, what it declares)."""

import numpy as np
from quantised_numbers import F, bits_of, blocks, decoded, divided, encoded, encoded_by_search, nibbles, powers, spread

from assay import quantised

RIGHT = []


def right(operation, **declared):
    def add(kernel):
        RIGHT.append((getattr(quantised, operation), kernel, declared))
        return kernel

    return add


def int8(x):
    """Saturated: a scale that is a subnormal number has few digits, and x over it may be beyond 127."""
    return np.clip(x, -128, 127).astype(np.int8)


def absmax(x):
    return np.abs(x).max(-1, keepdims=True, initial=0).astype(F)


def reciprocal(most):
    """127 / most where that is a number of float32, and 0 where the scale is: in double near the smallest numbers."""
    inverse = np.where(most / F(127) == 0, 0, 127 / np.where(most == 0, 1, most.astype(np.float64)))
    return inverse.astype(F) if np.all(inverse < 3e38) else inverse


@right("quantise_rows")
def rows_by_division(p):
    s = absmax(p.x) / F(127)
    return int8(np.rint(divided(p.x, s))), s


@right("quantise_rows")
def rows_by_reciprocal(p):
    most = absmax(p.x)
    return int8(np.rint(p.x * reciprocal(most))), most / F(127)


@right("quantise_rows")
def rows_in_double(p):
    s = absmax(p.x) / F(127)
    return int8(np.rint(divided(p.x.astype(np.float64), s.astype(np.float64)))), s


@right("quantise_rows")
def rows_by_magic_number(p):
    s = absmax(p.x) / F(127)
    magic = F(1.5 * 2**23)
    return int8((divided(p.x, s) + magic) - magic), s


@right("quantise_blocks")
def blocks_by_exponent(p):
    s = np.abs(blocks(p.x, 128)).max(-1, initial=0) / F(448)
    return encoded(divided(p.x, spread(s, 128, p.x.shape[1])), "e4m3"), s


@right("quantise_blocks")
def blocks_by_search(p):
    s = np.abs(blocks(p.x, 128)).max(-1, initial=0) / F(448)
    return encoded_by_search(np.clip(divided(p.x, spread(s, 128, p.x.shape[1])), -448, 448), "e4m3"), s


@right("quantise_blocks")
def blocks_in_a_loop(p):
    q, scales = np.zeros(p.x.shape, np.uint8), []
    for at in range(0, p.x.shape[1], 128):
        part = p.x[:, at : at + 128]
        s = absmax(part) * F(1 / 448)
        q[:, at : at + 128] = encoded(divided(part, s), "e4m3")
        scales.append(s)
    return q, np.concatenate(scales, 1) if scales else np.zeros((p.x.shape[0], 0), F)


def mx_exponent(x):
    most = np.abs(blocks(x, 32)).max(-1, initial=0).astype(np.float64)
    return np.where(most > 0, np.frexp(most)[1] - 1 - 2, -127)


@right("quantise_mx")
def mx_by_exponent(p):
    e = np.clip(mx_exponent(p.x), -127, 127)
    x = np.ldexp(p.x.astype(np.float64), -spread(e, 32, p.x.shape[1]))
    return encoded(x, "e2m1"), (e + 127).astype(np.uint8)


@right("quantise_mx")
def mx_by_bits(p):
    bits = np.abs(blocks(p.x, 32)).max(-1, initial=0).astype(F).view(np.uint32) >> 23
    e = np.maximum(bits.astype(np.int64) - 2, 0).astype(np.uint8)
    scale = np.ldexp(1.0, spread(e, 32, p.x.shape[1]).astype(np.int64) - 127)
    return encoded_by_search(p.x / scale, "e2m1"), e


@right("quantise_mx", dtypes={"output0": "uint8 low-first"})
def mx_packed(p):
    q, e = mx_by_exponent(p)
    q = np.pad(q, [(0, 0), (0, q.shape[1] % 2)])
    return q[:, ::2] | q[:, 1::2] << 4, e


def nvfp4_scales(p):
    most = np.abs(blocks(p.x, 16)).max(-1, initial=0).astype(F)
    return encoded(most / F(6) / p.tensor_scale, "e4m3")


@right("quantise_nvfp4")
def nvfp4_by_exponent(p):
    bits = nvfp4_scales(p)
    s = spread(decoded(bits, "e4m3") * p.tensor_scale, 16, p.x.shape[1])
    return encoded(divided(p.x, s), "e2m1"), bits


@right("quantise_nvfp4")
def nvfp4_by_search(p):
    most = np.abs(blocks(p.x, 16)).max(-1, initial=0).astype(F)
    bits = encoded_by_search(np.minimum(most / (F(6) * p.tensor_scale), 448), "e4m3")
    s = spread(decoded(bits, "e4m3"), 16, p.x.shape[1])
    return encoded_by_search(divided(divided(p.x, s), p.tensor_scale), "e2m1"), bits


@right("quantise_nvfp4")
def nvfp4_in_double(p):
    bits = nvfp4_scales(p)
    s = spread(decoded(bits, "e4m3").astype(np.float64) * p.tensor_scale, 16, p.x.shape[1])
    return encoded(divided(p.x.astype(np.float64), s), "e2m1"), bits


@right("dequantise_groups")
def groups_plain(p):
    return (p.q.astype(F) - p.zero.astype(F)[:, :, None]) * p.scale[:, :, None]


@right("dequantise_groups", dtypes={"q": "uint8 low-first"})
def groups_packed(p):
    return (nibbles(p.q).astype(F) - p.zero.astype(F)[:, :, None]) * p.scale[:, :, None]


@right("dequantise_groups", dtypes={"q": "uint32 low-first", "zero": "uint8"})
def groups_of_eight(p):
    codes = p.q[..., None] >> np.arange(0, 32, 4, dtype=np.uint32) & 15
    codes = codes.reshape(*p.q.shape[:-1], 8 * p.q.shape[-1]).astype(np.int64)
    return ((codes - p.zero.astype(np.int64)[:, :, None]) * p.scale[:, :, None].astype(np.float64)).astype(F)


@right("dequantise_groups", dtypes={"q": "uint8 high-first"})
def groups_high_first(p):
    q = nibbles(p.q, high_first=True).astype(np.int32) - p.zero.astype(np.int32)[:, :, None]
    return q.astype(F) * p.scale[:, :, None]


@right("dequantise_fp8")
def fp8_by_bits(p):
    return decoded(bits_of(p.q), "e4m3") * p.scale[:, None]


@right("dequantise_fp8", dtypes={"q": "uint8"})
def fp8_by_table(p):
    return decoded(np.arange(256), "e4m3")[p.q] * p.scale[:, None]


@right("dequantise_fp8", dtypes={"q": "uint8"})
def fp8_through_half(p):
    """The bits shifted into a float16, whose exponent has a bias of 15."""
    half = ((p.q.astype(np.uint16) & 0x80) << 8 | (p.q.astype(np.uint16) & 0x7F) << 7).view(np.float16).astype(F)
    return np.where(p.q & 0x7F == 0x7F, F(np.nan), half * F(256)) * p.scale[:, None]


def flat(x):
    return x.reshape(len(x), x.shape[1] * x.shape[2])


def weights(p):
    return (p.q.astype(F) - p.zero.astype(F)[:, :, None]) * p.scale[:, :, None]


@right("w4a16")
def w4a16_weights_first(p):
    w = weights(p)
    return flat(p.a) @ flat(w).T


@right("w4a16")
def w4a16_by_groups(p):
    out = np.zeros((len(p.a), len(p.q)), F)
    for g in range(p.a.shape[1]):
        out += (p.a[:, g] @ (p.q[:, g].astype(F) - p.zero[:, g, None].astype(F)).T) * p.scale[:, g]
    return out


@right("w4a16", dtypes={"q": "uint8 low-first"})
def w4a16_packed_in_double(p):
    w = (nibbles(p.q) - p.zero.astype(np.float64)[:, :, None]) * p.scale[:, :, None]
    return np.einsum("mgk,ngk->mn", p.a.astype(np.float64), w).astype(F)


@right("w8a8", accumulate="int32")
def w8a8_in_integers(p):
    return (p.a.astype(np.int32) @ p.w.astype(np.int32).T).astype(F) * p.a_scale[:, None] * p.w_scale


def scales_first(xp, a, w, a_scale, w_scale):
    return xp.matmul(a, xp.matrix_transpose(w)) * (a_scale[:, None] * w_scale)


def rows_first(xp, a, w, a_scale, w_scale):
    return xp.matmul(a * a_scale[:, None], xp.matrix_transpose(w * w_scale[:, None]))


@right("w8a8", road=scales_first)
def w8a8_in_floats(p):
    return (p.a.astype(F) @ p.w.astype(F).T) * (p.a_scale[:, None] * p.w_scale)


@right("w8a8", accumulate="int32")
def w8a8_by_tiles(p):
    out = np.zeros((len(p.a), len(p.w)), np.int32)
    for k in range(0, p.a.shape[1], 32):
        out += p.a[:, k : k + 32].astype(np.int32) @ p.w[:, k : k + 32].astype(np.int32).T
    return (out * p.w_scale).astype(F) * p.a_scale[:, None]


@right("fp8_rows")
def fp8_rows_plain(p):
    return decoded(bits_of(p.a), "e4m3") @ decoded(bits_of(p.w), "e4m3").T * p.a_scale[:, None] * p.w_scale


@right("fp8_rows", dtypes={"a": "uint8", "w": "uint8"}, road=rows_first)
def fp8_rows_scaled_first(p):
    a, w = (decoded(b, "e4m3") * s[:, None] for b, s in ((p.a, p.a_scale), (p.w, p.w_scale)))
    return a @ w.T


def cut(x, bits):
    """x without what comes after this many bits of its significand."""
    size, exponent = np.frexp(x)
    return np.ldexp(np.trunc(np.ldexp(size, bits)), exponent - bits)


@right("fp8_rows", partial_sums={"float22": 32})
def fp8_rows_on_a_tensor_core(p):
    """Partial sums of 32 with 13 bits after the point, cut off, then float32."""
    a, w = (decoded(bits_of(b), "e4m3").astype(np.float64) for b in (p.a, p.w))
    out = np.zeros((len(a), len(w)), F)
    for first in range(0, a.shape[1], 32):
        part = np.zeros(out.shape)
        for k in range(first, min(first + 32, a.shape[1])):
            part = cut(part + np.outer(a[:, k], w[:, k]), 14)
        out += part.astype(F)
    return out * p.a_scale[:, None] * p.w_scale


def scaled(codes, scale):
    return decoded(bits_of(codes), "e4m3") * scale[:, :, None]


@right("fp8_blocks")
def fp8_blocks_scaled_first(p):
    a, w = scaled(p.a, p.a_scale), scaled(p.w, p.w_scale)
    return flat(a) @ flat(w).T


@right("fp8_blocks")
def fp8_blocks_by_block(p):
    out = np.zeros((len(p.a), len(p.w)), F)
    for g in range(p.a.shape[1]):
        part = decoded(bits_of(p.a[:, g]), "e4m3") @ decoded(bits_of(p.w[:, g]), "e4m3").T
        out += part * p.a_scale[:, g, None] * p.w_scale[:, g]
    return out


@right("fp8_blocks", dtypes={"a": "uint8", "w": "uint32 low-first"})
def fp8_blocks_packed(p):
    w = np.ascontiguousarray(p.w).view(np.uint8).reshape(*p.w.shape[:2], 128)
    a, w = (decoded(b, "e4m3").astype(np.float64) * s[:, :, None] for b, s in ((p.a, p.a_scale), (w, p.w_scale)))
    return np.einsum("mgk,ngk->mn", a, w).astype(F)


@right("mx_product")
def mx_scaled_first(p):
    a, w = (scaled(x, powers(bits_of(s))) for x, s in ((p.a, p.a_scale), (p.w, p.w_scale)))
    return flat(a) @ flat(w).T


@right("mx_product")
def mx_by_block(p):
    out = np.zeros((len(p.a), len(p.w)), F)
    a_scale, w_scale = powers(bits_of(p.a_scale)), powers(bits_of(p.w_scale))
    for g in range(p.a.shape[1]):
        out += scaled(p.a, a_scale)[:, g] @ decoded(bits_of(p.w[:, g]), "e4m3").T * w_scale[:, g]
    return out


@right("mx_product", dtypes={"a_scale": "uint8", "w_scale": "uint8"})
def mx_in_double(p):
    a, w = (decoded(bits_of(x), "e4m3") * np.ldexp(1.0, s.astype(int) - 127)[:, :, None]
            for x, s in ((p.a, p.a_scale), (p.w, p.w_scale)))  # fmt: skip
    return np.einsum("mgk,ngk->mn", a, w).astype(F)


def nvfp4_factor(codes, scales):
    return decoded(codes, "e2m1") * decoded(bits_of(scales), "e4m3")[:, :, None]


@right("nvfp4_product")
def nvfp4_scaled_first(p):
    a, w = nvfp4_factor(bits_of(p.a), p.a_scale), nvfp4_factor(bits_of(p.w), p.w_scale)
    return flat(a) @ flat(w).T * p.tensor_scale


@right("nvfp4_product", dtypes={"a": "uint8 low-first", "w": "uint8 low-first"})
def nvfp4_packed_by_block(p):
    a, w, out = nibbles(p.a), nibbles(p.w), np.zeros((len(p.a), len(p.w)), F)
    a_scale, w_scale = decoded(bits_of(p.a_scale), "e4m3"), decoded(bits_of(p.w_scale), "e4m3")
    for g in range(p.a.shape[1]):
        out += decoded(a[:, g], "e2m1") @ decoded(w[:, g], "e2m1").T * (a_scale[:, g, None] * w_scale[:, g])
    return out * p.tensor_scale


@right("nvfp4_product", dtypes={"a": "uint8 high-first", "w": "uint8"})
def nvfp4_high_first(p):
    a, w = nvfp4_factor(nibbles(p.a, True), p.a_scale), nvfp4_factor(p.w, p.w_scale)
    return (np.einsum("mgk,ngk->mn", a.astype(np.float64), w) * p.tensor_scale).astype(F)


def normalised(x, weight, dtype=F):
    x = x.astype(dtype)
    with np.errstate(all="ignore"):
        mean = (x * x).sum(-1, keepdims=True) / dtype(max(x.shape[1], 1))
        return x / np.sqrt(mean + dtype(2.0**-17)) * weight


def rows_of(y):
    s = absmax(y) / F(127)
    return int8(np.rint(divided(y, s))), s


@right("rms_norm_int8")
def rms_norm_plain(p):
    return rows_of(normalised(p.x, p.weight).astype(F))


@right("rms_norm_int8")
def rms_norm_in_double(p):
    return rows_of(normalised(p.x, p.weight, np.float64).astype(F))


@right("rms_norm_int8")
def rms_norm_by_reciprocal(p):
    with np.errstate(all="ignore"):
        inverse = F(1) / np.sqrt(np.mean(p.x * p.x, axis=-1, keepdims=True) + F(2.0**-17))
        y = p.x * inverse * p.weight
        most = absmax(y)
    return int8(np.rint(y * reciprocal(most))), most / F(127)


def attended(q, k, v, factor):
    scores = q @ k.T * factor
    e = np.exp(scores - scores.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True) @ v


@right("attention_fp8")
def attention_plain(p):
    k, v = decoded(bits_of(p.k), "e4m3"), decoded(bits_of(p.v), "e4m3")
    return attended(p.q, k, v, F(0.25) * p.k_scale) * p.v_scale


@right("attention_fp8")
def attention_scaled_first(p):
    k, v = decoded(bits_of(p.k), "e4m3") * p.k_scale, decoded(bits_of(p.v), "e4m3") * p.v_scale
    return attended(p.q * F(0.25), k, v, F(1))


@right("attention_fp8")
def attention_online(p):
    k, v = decoded(bits_of(p.k), "e4m3") * p.k_scale, decoded(bits_of(p.v), "e4m3") * p.v_scale
    most, total = np.full((len(p.q), 1), -np.inf, F), np.zeros((len(p.q), 1), F)
    out = np.zeros(p.q.shape, F)
    for first in range(0, len(k), 16):
        scores = p.q @ k[first : first + 16].T * F(0.25)
        new = np.maximum(most, scores.max(-1, keepdims=True))
        e, keep = np.exp(scores - new), np.exp(most - new)
        total, out, most = total * keep + e.sum(-1, keepdims=True), out * keep + e @ v[first : first + 16], new
    return divided(out, total)  # without keys it is 0
