"""Quantised operations as formulas, each ready for assay.gate: products of codes, and what makes and reads codes.

    import assay
    from assay.quantised import w8a8
    print(assay.gate(w8a8, lambda p: my_product(p.a, p.w, p.a_scale, p.w_scale), accumulate="int32"))

docs/quantised.md says what is judged, and how packed arrays are declared.
"""

from __future__ import annotations

import inspect
from typing import Any

from ._operation import Operation
from ._references import operation

_PRODUCT = {"M": 33, "N": 33, "K": 257}
_BLOCKS = {"M": 33, "N": 33, "G": 9}
_IN_TILES = 289  # rows whose scales may lie in tiles of 128 x 4


@operation(x="N, K", properties="rows=N", limits={"N": 65, "K": 513})
def quantise_rows(xp: Any, x: Any) -> Any:
    """Rows to int8 with one scale each, the largest size over 127.

    Codes are exact, given the scale that the kernel returns: a tie goes to the even neighbour. torch.round does so, and
    floor(x + 0.5) and CUDA's roundf do not. A row of zeros has a scale of 0 and codes of 0, and no NaN.
    """
    return xp.quantize(x, "int8", axis=-1)


@operation(x="N, K", limits={"N": 33, "K": 513})
def quantise_blocks(xp: Any, x: Any) -> Any:
    """e4m3 with a scale for each 128 elements of a row, of which the last block may have fewer.

    The scale is the largest size over 448. An outlier costs its own block digits, and no other: a scale that is taken from the
    neighbouring block, or from the whole row, shows.
    """
    return xp.quantize(x, "e4m3", axis=-1, block=128)


@operation(x="N, K", limits={"N": _IN_TILES, "K": 257})
def quantise_mx(xp: Any, x: Any) -> Any:
    """MXFP4 as OCP Microscaling has it: e2m1 in blocks of 32, each with a power of two as e8m0.

    The scale is the largest power of two in the block over that of the format, cut off: it needs no division, so that both
    scales and codes are due bit for bit. What is beyond 6 after scaling saturates.
    """
    return xp.quantize(x, "e2m1", axis=-1, block=32, scale="mx")


@operation(x="N, K", tensor_scale="1 of positive", limits={"N": _IN_TILES, "K": 129})
def quantise_nvfp4(xp: Any, x: Any, tensor_scale: Any) -> Any:
    """NVFP4: e2m1 in blocks of 16, each with a scale in e4m3, and one scale for the tensor.

    The scale of a block is rounded to e4m3 first, and its elements are divided by what was stored. Kernels that divide by the
    scale before it was rounded give codes that do not fit it.
    """
    most = xp.max(xp.abs(_blocks(xp, x, 16)), axis=-1)
    scale = xp.cast(most / 6, "e4m3", scale=tensor_scale)
    q, _ = xp.quantize(x, "e2m1", axis=-1, block=16, scale=scale * tensor_scale)
    return q, scale


def _blocks(xp: Any, x: Any, block: int) -> Any:
    """[N, K] as [N, blocks, block], filled up with zeros."""
    x = xp.concat([x, xp.zeros((x.shape[0], -x.shape[1] % block))], axis=1)
    return xp.reshape(x, (x.shape[0], x.shape[1] // block, block))


@operation(q="N, G, 32 of uint4", scale="N, G", zero="N, G of uint4", limits={"N": 33, "G": 17})
def dequantise_groups(xp: Any, q: Any, scale: Any, zero: Any) -> Any:
    """Groups of 32 codes of 4 bits, with a scale and a zero point each: (q - zero) scale.

    Two codes share a byte, in one of two orders. Whole numbers are subtracted exactly, so that two roundings are all.
    """
    return (q - zero[:, :, None]) * scale[:, :, None]


@operation(q="N, K of any e4m3", scale="N", limits={"N": 65, "K": 513})
def dequantise_fp8(xp: Any, q: Any, scale: Any) -> Any:
    """Every code of e4m3, NaN too, times the scale of its row.

    e5m2 read as e4m3, a code of NaN read as 480 and subnormal codes read as 0 are the usual faults.
    """
    return q * scale[:, None]


@operation(a="M, G, 32", q="N, G, 32 of uint4", scale="N, G", zero="N, G of uint4", properties="rows=M", limits=_BLOCKS)
def w4a16(xp: Any, a: Any, q: Any, scale: Any, zero: Any) -> Any:
    """Activations times weights of 4 bits, in groups of 32 with a scale and a zero point each.

    The weights of GPTQ and AWQ. A kernel may scale the weights first, or the sum of each group after: both are roads to the
    same product. A zero point that is forgotten, or one that has 1 added, as in some checkpoints of GPTQ, is none.
    """
    w = (q - zero[:, :, None]) * scale[:, :, None]
    return xp.einsum("mgk,ngk->mn", a, w)


@operation(a="M, K of int8", w="N, K of int8", a_scale="M", w_scale="N", properties="rows=M", limits=_PRODUCT)
def w8a8(xp: Any, a: Any, w: Any, a_scale: Any, w_scale: Any) -> Any:
    """A product of int8, then the scales of rows and columns.

    With accumulate="int32" the sums are exact, so that only the scaling rounds. Sums in float32 are exact up to 2^24, and
    sums in 16 bits never pass.
    """
    return xp.matmul(a, xp.matrix_transpose(w)) * a_scale[:, None] * w_scale


@operation(a="M, K of e4m3", w="N, K of e4m3", a_scale="M", w_scale="N", properties="rows=M", limits=_PRODUCT)
def fp8_rows(xp: Any, a: Any, w: Any, a_scale: Any, w_scale: Any) -> Any:
    """A product of e4m3, then the scales of rows and columns: torch._scaled_mm with row-wise scales.

    Products of two numbers of e4m3 are exact in float32. Tensor cores of Hopper add them with 13 bits after the point, and
    declare partial_sums={"float22": 128}, or how many they add before float32 takes over.
    """
    return xp.matmul(a, xp.matrix_transpose(w)) * a_scale[:, None] * w_scale


@operation(a="M, G, 128 of e4m3", w="N, G, 128 of e4m3", a_scale="M, G", w_scale="N, G", properties="rows=M",
           limits={"M": 17, "N": 17, "G": 5})  # fmt: skip
def fp8_blocks(xp: Any, a: Any, w: Any, a_scale: Any, w_scale: Any) -> Any:
    """A product of e4m3 with a scale for each 128 elements of a row, as DeepSeek's kernels have them.

    Each block's sum is scaled before it is added to the others. The scale of a neighbour is the fault to look for.
    """
    return xp.einsum("mgk,ngk->mn", a * a_scale[:, :, None], w * w_scale[:, :, None])


@operation(a="M, G, 32 of e4m3", w="N, G, 32 of e4m3", a_scale="M, G of e8m0", w_scale="N, G of e8m0", properties="rows=M",
           limits={"M": _IN_TILES, "N": _IN_TILES, "G": 9})  # fmt: skip
def mx_product(xp: Any, a: Any, w: Any, a_scale: Any, w_scale: Any) -> Any:
    """MXFP8: blocks of 32 elements of e4m3 that share a power of two.

    Powers of two scale exactly, wherever a kernel applies them. The exponent has a bias of 127: one of 128 is off by two, or of
    both factors by four.
    """
    return xp.einsum("mgk,ngk->mn", a * a_scale[:, :, None], w * w_scale[:, :, None])


@operation(a="M, G, 16 of e2m1", w="N, G, 16 of e2m1", a_scale="M, G of positive e4m3", w_scale="N, G of positive e4m3",
           tensor_scale="1 of positive", properties="rows=M", limits={"M": _IN_TILES, "N": _IN_TILES, "G": 9})  # fmt: skip
def nvfp4_product(xp: Any, a: Any, w: Any, a_scale: Any, w_scale: Any, tensor_scale: Any) -> Any:
    """NVFP4: blocks of 16 elements of e2m1, each with a scale in e4m3, and one scale for all.

    Every product is a multiple of 1/4 of the scales' product. Scales in the wrong order, as those of cuBLAS's swizzled layout
    read row by row, are those of another block.
    """
    return tensor_scale * xp.einsum("mgk,ngk->mn", a * a_scale[:, :, None], w * w_scale[:, :, None])


@operation(x="N, K", weight="K", properties="rows=N", limits={"N": 33, "K": 257})
def rms_norm_int8(xp: Any, x: Any, weight: Any) -> Any:
    """RMS norm whose result is quantised, a row at a time, in the same kernel.

    What is rounded is computed itself: where its bound reaches over a tie, both neighbours are right, and the run says how many
    elements were so. The scale is that of the normalised row, and not of x.
    """
    y = x / xp.sqrt(xp.mean(x * x, axis=-1, keepdims=True) + 2.0**-17) * weight
    return xp.quantize(y, "int8", axis=-1)


@operation(q="T, D", k="S, D of e4m3", v="S, D of e4m3", k_scale="1 of positive", v_scale="1 of positive", properties="rows=T",
           limits={"T": 17, "S": 257, "D": 65})  # fmt: skip
def attention_fp8(xp: Any, q: Any, k: Any, v: Any, k_scale: Any, v_scale: Any) -> Any:
    """Attention over a cache of keys and values in e4m3, with one scale for each.

    The scale of the keys belongs into the softmax, that of the values behind the sum: exchanged, both are wrong.
    """
    scores = xp.matmul(q, xp.matrix_transpose(k)) * (0.25 * k_scale)
    e = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return xp.matmul(e / xp.sum(e, axis=-1, keepdims=True), v) * v_scale


def _written() -> str:
    """The formulas with their arrays, as help(assay.quantised) shows them."""
    formulas = [(name, one) for name, one in globals().items() if isinstance(one, Operation)]
    for name, one in formulas:
        arrays = [" of ".join([f"{of} [{shape}]", *kind]) for of, text in one.made_of[0].items()
                  for shape, *kind in [text.split(" of ")]]  # fmt: skip
        one.__doc__ = f"{name}: {', '.join(arrays)}\n\n{inspect.getdoc(one.formula)}"
    return "\n\n".join(str(one.__doc__) for _, one in formulas)


__doc__ = f"{__doc__}\nThe formulas, and the arrays of p that a kernel gets:\n\n{_written()}\n"
