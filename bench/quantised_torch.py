"""Judges PyTorch's products of fp8, int8 and int4, on an NVIDIA GPU or a CPU.

    python3 bench/quantised_torch.py [--device cuda] [--cases 40] [--only WORD]

It prints a table for each kernel and ends with one line for each: passed, or which properties failed. Exit status 0
if all passed, 1 if something failed. A kernel that this machine or this PyTorch lacks is listed with the reason.
"""

from __future__ import annotations

import sys
from typing import Any, List, Tuple

import numpy as np
import torch
from quantised_entries import Entry, arguments, print_verdicts

import assay
from assay import quantised

FP8 = torch.float8_e4m3fn
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
ALIGNED = {"K": "multiple of 16", "N": "multiple of 16", "M": "at least 1"}


def on_device(array: Any) -> torch.Tensor:
    # A copy: the stride of an axis of size 1 may be any number, and cuBLAS refuses some.
    return torch.from_numpy(np.array(array, order="C")).to(DEVICE)


def fp8(array: Any) -> torch.Tensor:
    return torch.from_numpy(np.array(array, order="C").view(np.uint8)).to(DEVICE).view(FP8)


def scaled_mm_rows(p: Any) -> torch.Tensor:
    """Row-wise scales; the result is bfloat16, which is all that it gives with them."""
    return torch._scaled_mm(fp8(p.a), fp8(p.w).t(), on_device(p.a_scale)[:, None], on_device(p.w_scale)[None, :],
                            out_dtype=torch.bfloat16)  # fmt: skip


def scaled_mm_rows_fast(p: Any) -> torch.Tensor:
    """The same with use_fast_accum, whose partial sums are those of the tensor core throughout."""
    return torch._scaled_mm(fp8(p.a), fp8(p.w).t(), on_device(p.a_scale)[:, None], on_device(p.w_scale)[None, :],
                            out_dtype=torch.bfloat16, use_fast_accum=True)  # fmt: skip


@assay.operation(a="M, K of e4m3", w="N, K of e4m3", a_scale="1", w_scale="1", properties="rows=M",
                 limits={"M": 65, "N": 129, "K": 1025})  # fmt: skip
def fp8_tensor(xp: Any, a: Any, w: Any, a_scale: Any, w_scale: Any) -> Any:
    return xp.matmul(a, xp.matrix_transpose(w)) * a_scale * w_scale


def scales_first(xp: Any, a: Any, w: Any, a_scale: Any, w_scale: Any) -> Any:
    """cuBLAS multiplies the two scales, whose product may be subnormal where the result's factors are not."""
    return xp.matmul(a, xp.matrix_transpose(w)) * (a_scale * w_scale)


def scaled_mm_tensor(p: Any) -> torch.Tensor:
    return torch._scaled_mm(fp8(p.a), fp8(p.w).t(), on_device(p.a_scale)[0], on_device(p.w_scale)[0], out_dtype=torch.float32)


@assay.operation(a="M, K of int8", w="N, K of int8", properties="rows=M", limits={"M": 65, "N": 129, "K": 1025})
def int8_product(xp: Any, a: Any, w: Any) -> Any:
    return xp.matmul(a, xp.matrix_transpose(w))


def int_mm(p: Any) -> torch.Tensor:
    return torch._int_mm(on_device(p.a), on_device(p.w).t()).double()


def int4_groups(group: int) -> Any:
    @assay.operation(a=f"M, G, {group}", q=f"N, G, {group} of uint4", scale="N, G", zero="N, G", properties="rows=M",
                     limits={"M": 33, "N": 64, "G": 256 // group})  # fmt: skip
    def int4_product(xp: Any, a: Any, q: Any, scale: Any, zero: Any) -> Any:
        """PyTorch's int4: the zero point is a number that is added, and 8 is in the middle of the codes."""
        w = (q - 8) * scale[:, :, None] + zero[:, :, None]
        return xp.einsum("mgk,ngk->mn", a, w)

    return int4_product


def bfloat16(array: Any) -> torch.Tensor:
    return on_device(np.array(array, order="C").view(np.int16)).view(torch.bfloat16)


def int4_packed(p: Any) -> Tuple[torch.Tensor, torch.Tensor]:
    """The weights as int4pack_mm takes them, and the pairs of scale and zero point."""
    q = on_device(p.q.reshape(p.q.shape[0], -1))
    pairs = torch.stack([bfloat16(p.scale).t(), bfloat16(p.zero).t()], -1).contiguous()
    if DEVICE == "cpu":
        return torch.ops.aten._convert_weight_to_int4pack_for_cpu(q.int(), 1), pairs
    return torch.ops.aten._convert_weight_to_int4pack(q[:, ::2] << 4 | q[:, 1::2], 8), pairs


def int4_mm(p: Any) -> torch.Tensor:
    product = torch.ops.aten._weight_int4pack_mm_for_cpu if DEVICE == "cpu" else torch.ops.aten._weight_int4pack_mm
    packed, pairs = int4_packed(p)
    return product(bfloat16(p.a.reshape(p.a.shape[0], -1)), packed, p.a.shape[2], pairs)


@assay.operation(a="M, K", w="N, K of int8", scale="N", properties="rows=M", limits={"M": 33, "N": 64, "K": 257})
def int8_weights(xp: Any, a: Any, w: Any, scale: Any) -> Any:
    sums = xp.matmul(a, xp.matrix_transpose(w))
    return sums * scale


def int8pack_mm(p: Any) -> torch.Tensor:
    # Clones: PyTorch 2.15 on a CPU ends with a segmentation fault where the memory is not aligned as its own is.
    return torch.ops.aten._weight_int8pack_mm(*(one.clone() for one in (bfloat16(p.a), on_device(p.w), bfloat16(p.scale))))


TENSOR_CORE = {"partial_sums": {"float22": 128}, "extents": ALIGNED, "empty": False, "limits": {"K": 1024, "N": 64}}
INT4 = {"dtype": "bfloat16", "rounds": {"w": "bfloat16"}, "empty": False,
        "extents": {"N": "multiple of 64"}, "reach": "none"}  # fmt: skip
ENTRIES: List[Entry] = [
    Entry("torch._scaled_mm, rows", quantised.fp8_rows, scaled_mm_rows,
          {**TENSOR_CORE, "limits": {"K": 256, "N": 32}, "dtypes": {"output": "bfloat16"}}),
    Entry("torch._scaled_mm, rows, fast accumulation", quantised.fp8_rows, scaled_mm_rows_fast,
          {**TENSOR_CORE, "limits": {"K": 256, "N": 32}, "dtypes": {"output": "bfloat16"}}),
    Entry("torch._scaled_mm, rows, without partial_sums", quantised.fp8_rows, scaled_mm_rows,
          {"extents": ALIGNED, "empty": False, "limits": {"K": 256, "N": 32}, "dtypes": {"output": "bfloat16"}}),
    Entry("torch._scaled_mm, one scale", fp8_tensor, scaled_mm_tensor, {**TENSOR_CORE, "road": scales_first}),
    Entry("torch._int_mm", int8_product, int_mm,
          {"extents": {"M": "at least 17", "K": "multiple of 8", "N": "multiple of 8"}, "empty": False,
           "limits": {"K": 1024, "N": 128}, "accumulate": "int32", "dtypes": {"output": "float64"}}),
    *(Entry(f"torch's int4pack_mm, groups of {group}", int4_groups(group), int4_mm,
            {**INT4, "extents": {**INT4["extents"], "G": f"multiple of {128 // group}"}}) for group in (32, 64, 128)),
    Entry("torch's int8pack_mm", int8_weights, int8pack_mm,
          {"dtype": "bfloat16", "empty": False, "extents": {"K": "multiple of 32", "N": "multiple of 32"}, "limits": {"K": 256}}),
]  # fmt: skip


def main() -> int:
    global DEVICE
    asked = arguments(__doc__)
    asked.add_argument("--device", default=DEVICE)
    given = asked.parse_args()
    DEVICE = given.device
    return print_verdicts(ENTRIES, given)


if __name__ == "__main__":
    sys.exit(main())
