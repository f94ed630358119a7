"""Faulty kernels of assay.quantised, after faults that were published: (operation, kernel, what it declares)."""

import numpy as np
from quantised_numbers import F, bits_of, blocks, decoded, divided, encoded, nibbles, powers, spread
from quantised_right import absmax, attended, cut, flat, mx_exponent, normalised, rows_of, scaled

from assay import quantised

FAULTY = []


def faulty(operation, name, kernel, **declared):
    kernel.__name__ = name.replace(" ", "-")
    FAULTY.append((getattr(quantised, operation), kernel, declared))


def wrapped(x):
    with np.errstate(all="ignore"):
        return np.nan_to_num(x).astype(np.int64).astype(np.int8)  # what is beyond 127 wraps


def rows(round=np.rint, scale=lambda x: absmax(x) / F(127), over=divided, returned=lambda s: s, spoil=lambda q: q, limit=127):
    def kernel(p):
        s = scale(p.x)
        return spoil(wrapped(np.clip(round(over(p.x, s)), -128, limit))), returned(s).astype(F)

    return kernel


def last_tile_dropped(q, tile=16):
    q = q.copy()
    q[:, q.shape[1] // tile * tile :] = 0
    return q


def one_less(q):
    q = q.copy()
    q.reshape(-1)[-1:] -= 1
    return q


faulty("quantise_rows", "ties go up", rows(lambda x: np.floor(x + F(0.5))))
faulty("quantise_rows", "ties go away from 0", rows(lambda x: np.trunc(x + np.copysign(F(0.5), x))))
faulty("quantise_rows", "cut toward 0", rows(np.trunc))
faulty("quantise_rows", "cut down", rows(np.floor))
faulty("quantise_rows", "scale over 128 that wraps", rows(scale=lambda x: absmax(x) / F(128), limit=1000))
faulty("quantise_rows", "scale over 128, saturated", rows(lambda x: np.clip(np.rint(x), -128, 127), lambda x: absmax(x) / F(128)))
faulty(
    "quantise_rows",
    "the maximum without sizes",
    rows(scale=lambda x: np.maximum(x.max(-1, keepdims=True, initial=0), 0) / F(127)),
)
faulty("quantise_rows", "scale of the row before", rows(scale=lambda x: np.roll(absmax(x), 1, 0) / F(127)))
faulty(
    "quantise_rows",
    "scale of all rows",
    rows(scale=lambda x: np.broadcast_to(np.abs(x).max(initial=0), (len(x), 1)).astype(F) / F(127)),
)
faulty("quantise_rows", "saturates at 126", rows(lambda x: np.clip(np.rint(x), -126, 126)))
faulty("quantise_rows", "divides by a scale in bfloat16",
       rows(over=lambda x, s: divided(x, (s.view(np.uint32) & 0xFFFF0000).view(F))))  # fmt: skip
faulty("quantise_rows", "returns the reciprocal", rows(returned=lambda s: divided(np.ones_like(s), s)))
faulty("quantise_rows", "tail of 16 dropped", rows(spoil=last_tile_dropped))
faulty("quantise_rows", "all zeros", rows(spoil=lambda q: q * 0, returned=lambda s: s * 0))
faulty("quantise_rows", "codes of zeros", rows(spoil=lambda q: q * 0))
faulty("quantise_rows", "one code less by one", rows(spoil=one_less))
faulty("quantise_rows", "signs lost", rows(spoil=np.abs))


def quantised_blocks(block=128, largest=448, encode=encoded, moved=0, spoil=lambda q: q, format="e4m3"):
    def kernel(p):
        s = np.abs(blocks(p.x, 128)).max(-1, initial=0).astype(F) / F(largest)
        used = np.roll(s, moved, 1) if s.size else s
        wide = spread(used, block, p.x.shape[1])
        wide = np.pad(wide, [(0, 0), (0, p.x.shape[1] - wide.shape[1])])
        return spoil(encode(divided(p.x, wide), format)), s

    return kernel


def flushed(x, name):
    bits = encoded(x, name)
    return np.where(bits & 0x78 == 0, bits & 0x80, bits)


def cut_code(x, name):
    return encoded(x, name, np.trunc)


faulty("quantise_blocks", "scale of the next block", quantised_blocks(moved=-1))
faulty("quantise_blocks", "blocks of 64 with scales of 128", quantised_blocks(block=64))
faulty("quantise_blocks", "scale for e4m3fnuz", quantised_blocks(largest=240))
faulty("quantise_blocks", "e5m2 for e4m3", quantised_blocks(encode=lambda x, name: encoded(x, "e5m2")))
faulty("quantise_blocks", "subnormal codes are 0", quantised_blocks(encode=flushed))
faulty("quantise_blocks", "code cut toward 0", quantised_blocks(encode=cut_code))
faulty("quantise_blocks", "largest is NaN", quantised_blocks(spoil=lambda q: np.where(q & 0x7F == 0x7E, q | 1, q)))
faulty("quantise_blocks", "tail block dropped", quantised_blocks(spoil=lambda q: last_tile_dropped(q, 128)))


def mx(shift=0, round=np.rint, bias=127, up=False, over=32, spoil=lambda q: q):
    def kernel(p):
        e = mx_exponent(p.x) + shift
        if up:
            most = np.abs(blocks(p.x, 32)).max(-1, initial=0).astype(np.float64)
            e = np.where(most > 0, np.ceil(np.log2(np.where(most > 0, most, 1))) - 2, -127)
        e = np.clip(e, -127, 127)
        x = np.ldexp(p.x.astype(np.float64), -spread(e, 32, p.x.shape[1]).astype(int))
        return spoil(encoded(x, "e2m1", round)), (e + bias).astype(np.uint8)

    return kernel


faulty("quantise_mx", "exponent of e4m3", mx(shift=-6))
faulty("quantise_mx", "scale rounded up", mx(up=True))
faulty("quantise_mx", "scale off by one", mx(shift=1))
faulty("quantise_mx", "bias of 128", mx(bias=128))
faulty("quantise_mx", "mx cut toward 0", mx(round=np.trunc))
faulty("quantise_mx", "mx ties go away", mx(round=lambda x: np.floor(x + 0.5)))
faulty("quantise_mx", "nibbles swapped on the way out", lambda p: _packed(mx()(p)), dtypes={"output0": "uint8 low-first"})


def _packed(results):
    q = np.pad(results[0], [(0, 0), (0, results[0].shape[1] % 2)])
    return q[:, ::2] << 4 | q[:, 1::2], results[1]


def nvfp4(rounded_scale=True, with_tensor_scale=True, least=6):
    def kernel(p):
        most = np.abs(blocks(p.x, 16)).max(-1, initial=0).astype(F)
        wide = most / F(least) / (p.tensor_scale if with_tensor_scale else F(1))
        bits = encoded(wide, "e4m3")
        s = (decoded(bits, "e4m3") if rounded_scale else wide) * p.tensor_scale
        return encoded(divided(p.x, spread(s, 16, p.x.shape[1])), "e2m1"), bits

    return kernel


faulty("quantise_nvfp4", "divides by the scale before it was rounded", nvfp4(rounded_scale=False))
faulty("quantise_nvfp4", "tensor scale forgotten", nvfp4(with_tensor_scale=False))
faulty("quantise_nvfp4", "largest of e2m1 taken as 4", nvfp4(least=4))


def groups(unpack=lambda q: nibbles(q), zero=lambda z: z, scale=lambda s: s, spoil=lambda x: x):
    def kernel(p):
        w = (unpack(p.q).astype(F) - zero(p.zero.astype(F))[:, :, None]) * scale(p.scale)[:, :, None]
        return spoil(w.astype(F))

    return kernel


PACKED = {"q": "uint8 low-first"}
faulty("dequantise_groups", "nibbles swapped", groups(lambda q: nibbles(q, True)), dtypes=PACKED)
faulty("dequantise_groups", "nibbles read as signed", groups(lambda q: (nibbles(q) ^ 8).astype(int) - 8), dtypes=PACKED)
faulty("dequantise_groups", "zero point forgotten", groups(zero=lambda z: z * 0), dtypes=PACKED)
faulty("dequantise_groups", "zero point and one", groups(zero=lambda z: z + 1), dtypes=PACKED)
faulty("dequantise_groups", "zero point always 8", groups(zero=lambda z: z * 0 + 8), dtypes=PACKED)
faulty("dequantise_groups", "scale of the group before", groups(scale=lambda s: np.roll(s, 1, 1)), dtypes=PACKED)
faulty("dequantise_groups", "zero points of the group before", groups(zero=lambda z: np.roll(z, 1, 1)), dtypes=PACKED)
faulty("dequantise_groups", "result in bfloat16", groups(spoil=lambda x: (x.view(np.uint32) & 0xFFFF0000).view(F)), dtypes=PACKED)


def fp8(decode):
    return lambda p: (decode(bits_of(p.q)) * p.scale[:, None]).astype(F)


faulty("dequantise_fp8", "e4m3 read as e5m2", fp8(lambda b: decoded(b, "e5m2")))
faulty("dequantise_fp8", "e4m3fn read as fnuz", fp8(lambda b: decoded(b, "e4m3", bias=8)))
faulty("dequantise_fp8", "NaN read as 480", fp8(lambda b: decoded(b, "e4m3", nan=False)))
faulty("dequantise_fp8", "subnormal numbers read as 0", fp8(lambda b: decoded(b, "e4m3", subnormals=False)))
faulty("dequantise_fp8", "NaN read as 0", fp8(lambda b: np.nan_to_num(decoded(b, "e4m3"))))


def w4(scale=lambda s: s, zero=lambda z: z, half=False, groups=None):
    def kernel(p):
        w = (p.q.astype(F) - zero(p.zero.astype(F))[:, :, None]) * scale(p.scale)[:, :, None]
        a, w = (flat(x[:, :groups]) for x in (p.a, w))
        return summed_in_half(a, w) if half else a @ w.T

    return kernel


def summed_in_half(a, w):
    out = np.zeros((len(a), len(w)), np.float16)
    with np.errstate(all="ignore"):
        for k in range(a.shape[1]):
            out += np.outer(a[:, k], w[:, k]).astype(np.float16)
    return out.astype(F)


faulty("w4a16", "w4a16 zero point forgotten", w4(zero=lambda z: z * 0))
faulty("w4a16", "w4a16 scale of the group before", w4(scale=lambda s: np.roll(s, 1, 1)))
faulty("w4a16", "w4a16 sums in 16 bits", w4(half=True))
faulty("w4a16", "w4a16 last group dropped", w4(groups=-1))
faulty("w4a16", "w4a16 nibbles swapped", lambda p: w4()(_with(p, q=nibbles(p.q, True))), dtypes=PACKED)


def _with(p, **arrays):
    return type(p)(**{**vars(p), **arrays})


def product8(sums=np.int32, a_scale=True, w_scale=True, last=None, unsigned=False):
    def kernel(p):
        a = p.a.astype(np.int16) & 0xFF if unsigned else p.a
        with np.errstate(all="ignore"):
            out = np.zeros((len(a), len(p.w)), sums)
            for k in range(a.shape[1] if last is None else a.shape[1] // last * last):
                out += np.outer(a[:, k].astype(np.int32), p.w[:, k].astype(np.int32)).astype(sums)
        return out.astype(F) * (p.a_scale[:, None] if a_scale else F(1)) * (p.w_scale if w_scale else F(1))

    return kernel


faulty("w8a8", "sums in int16", product8(np.int16), accumulate="int32")
faulty("w8a8", "sums in float16", product8(np.float16), accumulate="int32")
faulty("w8a8", "scale of rows forgotten", product8(a_scale=False), accumulate="int32")
faulty("w8a8", "scale of columns forgotten", product8(w_scale=False), accumulate="int32")
faulty("w8a8", "activations read as unsigned", product8(unsigned=True), accumulate="int32")
faulty("w8a8", "last tile of 32 dropped", product8(last=32), accumulate="int32")
faulty("w8a8", "w8a8 all zeros", lambda p: np.zeros((len(p.a), len(p.w)), F), accumulate="int32")


def product_fp8(decode=lambda b: decoded(b, "e4m3"), sums=None):
    def kernel(p):
        a, w = decode(bits_of(p.a)), decode(bits_of(p.w))
        out = a @ w.T if sums is None else sums(a, w)
        return (out * p.a_scale[:, None] * p.w_scale).astype(F)

    return kernel


def summed_with_13_bits(a, w):
    out = np.zeros((len(a), len(w)))
    for k in range(a.shape[1]):
        out = cut(out + np.outer(a[:, k].astype(np.float64), w[:, k]), 14)
    return out


faulty("fp8_rows", "both read as e5m2", product_fp8(lambda b: decoded(b, "e5m2")))
faulty("fp8_rows", "fp8 sums in 16 bits", product_fp8(sums=summed_in_half))
faulty("fp8_rows", "sums of a tensor core that are not declared", product_fp8(sums=summed_with_13_bits))
faulty("fp8_rows", "fp8 subnormal numbers read as 0", product_fp8(lambda b: decoded(b, "e4m3", subnormals=False)))


def product_blocks(a_scale=lambda s: s, w_scale=lambda s: s, read=lambda s: s, last=None):
    def kernel(p):
        a, w = scaled(p.a, read(a_scale(p.a_scale))), scaled(p.w, read(w_scale(p.w_scale)))
        a, w = (flat(x[:, :last]) for x in (a, w))
        return (a @ w.T).astype(F)

    return kernel


def first_of_row(s):
    return np.repeat(s[:, :1], s.shape[1], 1)


faulty("fp8_blocks", "weights' scale of the block before", product_blocks(w_scale=lambda s: np.roll(s, 1, 1)))
faulty("fp8_blocks", "scale of the first block for all", product_blocks(a_scale=first_of_row))
faulty("fp8_blocks", "last block dropped", product_blocks(last=-1))
faulty("mx_product", "mx bias of 128", product_blocks(read=lambda s: powers(bits_of(s), 128)))
faulty(
    "mx_product",
    "mx scale of the block before",
    product_blocks(a_scale=lambda s: np.roll(s, 1, 1), read=lambda s: powers(bits_of(s))),
)
faulty("mx_product", "mx scale read as e4m3", product_blocks(read=lambda s: decoded(bits_of(s), "e4m3", nan=False)))


def product_nvfp4(scales=lambda b: decoded(b, "e4m3"), tensor=True, unpack=nibbles):
    def kernel(p):
        a, w = (decoded(unpack(q), "e2m1") * scales(bits_of(s))[:, :, None] for q, s in ((p.a, p.a_scale), (p.w, p.w_scale)))
        return (flat(a) @ flat(w).T * (p.tensor_scale if tensor else F(1))).astype(F)

    return kernel


BOTH_PACKED = {"a": "uint8 low-first", "w": "uint8 low-first"}
faulty("nvfp4_product", "nvfp4 tensor scale forgotten", product_nvfp4(tensor=False), dtypes=BOTH_PACKED)
faulty(
    "nvfp4_product",
    "nvfp4 nibbles swapped",
    product_nvfp4(unpack=lambda q: nibbles(q, True)),
    dtypes={"a": "uint8 low-first", "w": "uint8 high-first"},
)
faulty(
    "nvfp4_product",
    "nvfp4 scale of the next block",
    product_nvfp4(lambda b: np.roll(decoded(b, "e4m3"), -1, 1)),
    dtypes=BOTH_PACKED,
)
faulty("nvfp4_product", "nvfp4 scale read as e5m2", product_nvfp4(lambda b: decoded(b, "e5m2")), dtypes=BOTH_PACKED)


def norm_with_scale_of_x(p):
    y, s = normalised(p.x, p.weight), absmax(p.x) / F(127)
    return wrapped(np.clip(np.rint(divided(y, s)), -127, 127)), s


def norm_without_weight(p):
    return rows_of(normalised(p.x, np.ones_like(p.weight)).astype(F))


def norm_rounded_first(p):
    y = (normalised(p.x, p.weight).astype(F).view(np.uint32) & 0xFFFF0000).view(F)
    return rows_of(y)


faulty("rms_norm_int8", "scale of x", norm_with_scale_of_x)
faulty("rms_norm_int8", "weight forgotten", norm_without_weight)
faulty("rms_norm_int8", "normalised row kept in bfloat16", norm_rounded_first)


def attention(k_factor, v_factor, decode=lambda b: decoded(b, "e4m3")):
    def kernel(p):
        return (attended(p.q, decode(bits_of(p.k)), decode(bits_of(p.v)), F(0.25) * k_factor(p)) * v_factor(p)).astype(F)

    return kernel


faulty("attention_fp8", "scales of keys and values exchanged", attention(lambda p: p.v_scale, lambda p: p.k_scale))
faulty("attention_fp8", "scale of keys forgotten", attention(lambda p: F(1), lambda p: p.v_scale))
faulty("attention_fp8", "scale of values forgotten", attention(lambda p: p.k_scale, lambda p: F(1)))
faulty("attention_fp8", "cache read as e5m2", attention(lambda p: p.k_scale, lambda p: p.v_scale, lambda b: decoded(b, "e5m2")))
