"""Judges torch._scaled_mm in fp8 and torchao's int8 and int4 products and quantisers on an NVIDIA GPU.

    python3 bench/quantised_gpu.py [--cases 40]

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
ALIGNED = {"K": "multiple of 16", "N": "multiple of 16", "M": "at least 1"}


def on_gpu(array: Any) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array)).cuda()


def fp8(array: Any) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array).view(np.uint8)).cuda().view(FP8)


def scaled_mm_rows(p: Any) -> torch.Tensor:
    """Row-wise scales; the result is bfloat16, which is all that it gives with them."""
    return torch._scaled_mm(fp8(p.a), fp8(p.w).t(), on_gpu(p.a_scale)[:, None], on_gpu(p.w_scale)[None, :],
                            out_dtype=torch.bfloat16)  # fmt: skip


def scaled_mm_rows_fast(p: Any) -> torch.Tensor:
    """The same with use_fast_accum, whose partial sums are those of the tensor core throughout."""
    return torch._scaled_mm(fp8(p.a), fp8(p.w).t(), on_gpu(p.a_scale)[:, None], on_gpu(p.w_scale)[None, :],
                            out_dtype=torch.bfloat16, use_fast_accum=True)  # fmt: skip


@assay.operation(a="M, K of e4m3", w="N, K of e4m3", a_scale="1", w_scale="1", properties="rows=M",
                 limits={"M": 65, "N": 129, "K": 1025})  # fmt: skip
def fp8_tensor(xp: Any, a: Any, w: Any, a_scale: Any, w_scale: Any) -> Any:
    return xp.matmul(a, xp.matrix_transpose(w)) * a_scale * w_scale


def scaled_mm_tensor(p: Any) -> torch.Tensor:
    return torch._scaled_mm(fp8(p.a), fp8(p.w).t(), on_gpu(p.a_scale)[0], on_gpu(p.w_scale)[0], out_dtype=torch.float32)


@assay.operation(a="M, K of int8", w="N, K of int8", properties="rows=M", limits={"M": 65, "N": 129, "K": 1025})
def int8_product(xp: Any, a: Any, w: Any) -> Any:
    return xp.matmul(a, xp.matrix_transpose(w))


def int_mm(p: Any) -> torch.Tensor:
    return torch._int_mm(on_gpu(p.a), on_gpu(p.w).t()).double()


@assay.operation(x="N, K", properties="rows=N", limits={"N": 65, "K": 513})
def rows_by_torchao(xp: Any, x: Any) -> Any:
    """torchao's symmetric int8 of rows: the scale is the largest size over 127.5, at least its eps."""
    most = xp.max(xp.abs(x), axis=-1, keepdims=True)
    scale = xp.maximum(most / 127.5, float(torch.finfo(torch.float32).eps))
    return xp.cast(x / scale, "int8"), scale


def torchao_rows(p: Any) -> Any:
    from torchao.quantization.quant_primitives import MappingType, choose_qparams_affine, quantize_affine

    x = on_gpu(p.x)
    block = (1, x.shape[1])
    scale, zero = choose_qparams_affine(x, MappingType.SYMMETRIC, block, torch.int8)
    return quantize_affine(x, block, scale, zero, torch.int8), scale.reshape(-1, 1)


def torchao_mx(p: Any) -> Any:
    from torchao.prototype.mx_formats.mx_tensor import to_mx

    scale, q = to_mx(on_gpu(p.x), FP8, 32)
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
    Entry("torch._scaled_mm, one scale", fp8_tensor, scaled_mm_tensor, TENSOR_CORE),
    Entry("torch._int_mm", int8_product, int_mm,
          {"extents": {"M": "at least 17", "K": "multiple of 8", "N": "multiple of 8"}, "empty": False,
           "limits": {"K": 1024, "N": 128}, "accumulate": "int32", "dtypes": {"output": "float64"}}),
    Entry("torchao, int8 rows", rows_by_torchao, torchao_rows, {"empty": False}),
    Entry("torchao, MXFP8", mxfp8, torchao_mx, {"empty": False, "extents": {"K": "multiple of 32"}, "limits": {"K": 256}}),
]  # fmt: skip


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--cases", type=int, default=40)
    cases, lines = asked.parse_args().cases, []
    for title, operation, kernel, declared in ENTRIES:
        result = assay.gate(operation, kernel, cases=cases, **declared)
        print(f"\n== {title}\n{result.table}")
        wrong = [f"{one.name} {one.verdict}" for one in result.properties if not one.passed]
        lines.append(f"{title}: {', '.join(wrong) or 'passed'}")
    print("\n" + "\n".join(lines))
    return 0 if all(line.endswith("passed") for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
