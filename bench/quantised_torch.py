"""Judges PyTorch's products of fp8, int8 and int4 and torchao's quantisers, on an NVIDIA GPU or a CPU.

    python3 bench/quantised_torch.py [--device cuda] [--cases 40] [--only WORD]

It prints a table for each kernel and ends with one line for each: passed, or which properties failed. Exit status 0
if all passed, 1 if something failed. A kernel that this machine or this PyTorch lacks is listed with the reason.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any, Callable, List, NamedTuple

import numpy as np
import torch

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


@assay.operation(a="M, G, 32", q="N, G, 32 of uint4", scale="N, G", zero="N, G", properties="rows=M",
                 limits={"M": 33, "N": 64, "G": 8})  # fmt: skip
def int4_groups(xp: Any, a: Any, q: Any, scale: Any, zero: Any) -> Any:
    """PyTorch's int4: the zero point is a number that is added, and 8 is in the middle of the codes."""
    w = (q - 8) * scale[:, :, None] + zero[:, :, None]
    return xp.einsum("mgk,ngk->mn", a, w)


def int4_mm(p: Any) -> torch.Tensor:
    M, G, N = p.a.shape[0], p.a.shape[1], p.q.shape[0]
    a = torch.from_numpy(np.ascontiguousarray(p.a).view(np.int16)).view(torch.bfloat16).reshape(M, 32 * G).to(DEVICE)
    pairs = [torch.from_numpy(np.ascontiguousarray(one).view(np.int16)).view(torch.bfloat16).t() for one in (p.scale, p.zero)]
    both = torch.stack(pairs, -1).contiguous().to(DEVICE)
    q = on_device(p.q.reshape(N, 32 * G))
    if DEVICE == "cpu":
        packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(q.int(), 1)
        return torch.ops.aten._weight_int4pack_mm_for_cpu(a, packed, 32, both)
    packed = torch.ops.aten._convert_weight_to_int4pack(q[:, ::2] << 4 | q[:, 1::2], 8)
    return torch.ops.aten._weight_int4pack_mm(a, packed, 32, both)


@assay.operation(x="N, K", properties="rows=N", limits={"N": 65, "K": 513})
def rows_by_torchao(xp: Any, x: Any) -> Any:
    """torchao's symmetric int8 of rows: the scale is the largest size over 127.5, at least the eps that it is given."""
    most = xp.max(xp.abs(x), axis=-1, keepdims=True)
    scale = xp.maximum(most / 127.5, float(torch.finfo(torch.float32).eps))
    return xp.cast(x / scale, "int8"), scale


def torchao_rows(p: Any) -> Any:
    from torchao.quantization.quant_primitives import MappingType, choose_qparams_affine, quantize_affine

    x = on_device(p.x)
    block = (1, x.shape[1])
    scale, zero = choose_qparams_affine(x, MappingType.SYMMETRIC, block, torch.int8, eps=torch.finfo(torch.float32).eps)
    return quantize_affine(x, block, scale, zero, torch.int8), scale.reshape(-1, 1)


def torchao_mx(p: Any) -> Any:
    from torchao.prototype.mx_formats.mx_tensor import to_mx

    scale, q = to_mx(on_device(p.x), FP8, 32)
    return q, scale.reshape(p.x.shape[0], -1)


@assay.operation(x="N, K", limits={"N": 33, "K": 257})
def mxfp8(xp: Any, x: Any) -> Any:
    return xp.quantize(x, "e4m3", axis=-1, block=32, scale="mx")


class Entry(NamedTuple):
    title: str
    operation: Any
    kernel: Callable[[Any], Any]
    declared: dict


TENSOR_CORE = {"partial_sums": {"float22": 128}, "extents": ALIGNED, "empty": False, "limits": {"K": 1024, "N": 64}}
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
    Entry("PyTorch's int4pack_mm", int4_groups, int4_mm,
          {"dtype": "bfloat16", "rounds": {"w": "bfloat16"}, "empty": False,
           "extents": {"N": "multiple of 64", "G": "multiple of 4"}}),
    Entry("torchao, int8 rows", rows_by_torchao, torchao_rows, {"empty": False, "extents": {"K": "at least 2"}}),
    Entry("torchao, MXFP8", mxfp8, torchao_mx, {"empty": False, "extents": {"K": "multiple of 32"}, "limits": {"K": 256}}),
]  # fmt: skip


def judged(entry: Entry, cases: int) -> str:
    try:
        result = assay.gate(entry.operation, entry.kernel, cases=cases, **entry.declared)
    except (ImportError, NotImplementedError) as error:
        return f"not here: {error}"
    print(f"\n== {entry.title}\n{result.table}", flush=True)
    lacks = [one.explanation for one in result.failures.values() if "No module named" in one.explanation]
    if lacks:
        return "not here: " + lacks[0].strip().splitlines()[0]
    return ", ".join(f"{one.name} {one.verdict}" for one in result.properties if not one.passed) or "passed"


def main() -> int:
    global DEVICE
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--cases", type=int, default=40)
    asked.add_argument("--device", default=DEVICE)
    asked.add_argument("--only", default="", help="of the kernels whose titles have this word")
    given = asked.parse_args()
    DEVICE = given.device
    lines = {one.title: judged(one, given.cases) for one in ENTRIES if given.only in one.title}
    print("\n" + "\n".join(f"{title}: {said}" for title, said in lines.items()))
    return 0 if all(said == "passed" or said.startswith("not here") for said in lines.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
