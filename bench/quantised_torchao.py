"""Judges torchao's quantisers and its products of int8 and int4, on an NVIDIA GPU or a CPU.

    python3 bench/quantised_torchao.py [--device cuda] [--cases 40] [--only WORD]

Products are those of torch.nn.functional.linear with a weight of torchao's types. The int4 product is tinygemm's, on a GPU.
"""

from __future__ import annotations

import sys
from typing import Any, List

import quantised_torch as products
import torch
from quantised_entries import Entry, arguments, print_verdicts
from quantised_torch import FP8, INT4, bfloat16, int4_groups, int4_packed, int8_weights, on_device

import assay

EPS = float(torch.finfo(torch.float32).eps)  # which torchao gives as the least scale


def codes_of_rows(xp: Any, x: Any) -> Any:
    most = xp.max(xp.abs(x), axis=-1, keepdims=True)
    scale = xp.maximum(most / 127.5, EPS)
    return xp.cast(x / scale, "int8"), scale


@assay.operation(x="N, K", properties="rows=N", limits={"N": 65, "K": 513})
def rows_by_torchao(xp: Any, x: Any) -> Any:
    """torchao's symmetric int8 of rows: the scale is the largest size over 127.5, at least the eps that it is given."""
    return codes_of_rows(xp, x)


def torchao_rows(p: Any) -> Any:
    from torchao.quantization.quant_primitives import MappingType, choose_qparams_affine, quantize_affine

    x = on_device(p.x)
    block = (1, x.shape[1])
    scale, zero = choose_qparams_affine(x, MappingType.SYMMETRIC, block, torch.int8, eps=EPS)
    return quantize_affine(x, block, scale, zero, torch.int8), scale.reshape(-1, 1)


def torchao_mx(p: Any) -> Any:
    from torchao.prototype.mx_formats.mx_tensor import to_mx

    scale, q = to_mx(on_device(p.x), FP8, 32)
    return q, scale.reshape(p.x.shape[0], -1)


@assay.operation(x="N, K", limits={"N": 33, "K": 257})
def mxfp8(xp: Any, x: Any) -> Any:
    return xp.quantize(x, "e4m3", axis=-1, block=32, scale="mx")


@assay.operation(x="M, K", w="N, K of int8", w_scale="N", properties="rows=M", limits={"M": 33, "N": 33, "K": 257})
def int8_dynamic(xp: Any, x: Any, w: Any, w_scale: Any) -> Any:
    """Activations are quantised by rows in the product."""
    q, scale = codes_of_rows(xp, x)
    return xp.matmul(q, xp.matrix_transpose(w)) * scale * w_scale


def int8_weight(w: Any, scale: torch.Tensor, **others: Any) -> Any:
    from torchao.quantization.quantize_.workflows.int8.int8_tensor import Int8Tensor

    return Int8Tensor(on_device(w), scale[:, None], [1, w.shape[1]], scale.dtype, **others)


def linear_int8_dynamic(p: Any) -> torch.Tensor:
    from torchao.quantization.granularity import PerRow
    from torchao.quantization.quantize_.workflows.int8.int8_tensor import QuantizeTensorToInt8Kwargs

    weight = int8_weight(p.w, on_device(p.w_scale), act_quant_kwargs=QuantizeTensorToInt8Kwargs(PerRow()))
    return torch.nn.functional.linear(on_device(p.x), weight)


def linear_int8_weights(p: Any) -> torch.Tensor:
    return torch.nn.functional.linear(bfloat16(p.a), int8_weight(p.w, bfloat16(p.scale)))


def linear_int4(p: Any) -> torch.Tensor:
    from torchao.quantization.quantize_.workflows.int4.int4_tile_packed_to_4d_tensor import Int4TilePackedTo4dTensor

    if products.DEVICE == "cpu":
        raise NotImplementedError("tinygemm's int4 weights are for GPUs")
    packed, pairs = int4_packed(p)
    group = p.a.shape[2]
    weight = Int4TilePackedTo4dTensor(packed, pairs, [1, group], torch.Size((p.q.shape[0], group * p.q.shape[1])))
    return torch.nn.functional.linear(bfloat16(p.a.reshape(p.a.shape[0], -1)), weight)


ENTRIES: List[Entry] = [
    Entry("torchao, int8 rows", rows_by_torchao, torchao_rows, {"empty": False, "extents": {"K": "at least 2"}}),
    Entry("torchao, MXFP8", mxfp8, torchao_mx, {"empty": False, "extents": {"K": "multiple of 32"}, "limits": {"K": 256}}),
    Entry("torchao, linear of int8 activations and weights", int8_dynamic, linear_int8_dynamic,
          {"empty": False, "extents": {"K": "at least 2"}, "accumulate": "int32"}),
    Entry("torchao, linear of int8 weights, bfloat16", int8_weights, linear_int8_weights,
          {"dtype": "bfloat16", "rounds": {"sums": "bfloat16"}, "empty": False}),
    *(Entry(f"torchao, linear of int4 weights in groups of {group}", int4_groups(group), linear_int4,
            {**INT4, "extents": {"N": "multiple of 64", "G": [1024 // group, 2048 // group]},
             "limits": {"M": 17, "G": 2048 // group}}) for group in (32, 64, 128)),
]  # fmt: skip


def main() -> int:
    asked = arguments(__doc__)
    asked.add_argument("--device", default=products.DEVICE)
    given = asked.parse_args()
    products.DEVICE = given.device
    return print_verdicts(ENTRIES, given)


if __name__ == "__main__":
    sys.exit(main())
