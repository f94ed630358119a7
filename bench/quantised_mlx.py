"""Judges MLX's quantized_matmul on the CPU: affine weights of 4 and 8 bits in groups of 32, 64 and 128, and its small floats.

    python3 bench/quantised_mlx.py [--cases 40] [--only WORD]

In 16 bits MLX's CPU kernels keep the sum in 16 bits too: each is judged with sums in float32 and with those of its own type.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Iterator

import numpy as np
from quantised_entries import Entry, arguments, print_verdicts

import assay

BITS = {4: "uint4", 8: "uint8"}


def affine(group: int, bits: int) -> Any:
    @assay.operation(x=f"M, G, {group}", q=f"N, G, {group} of {BITS[bits]}", scale="N, G", bias="N, G", properties="rows=M",
                     limits={"M": 33, "N": 65, "G": 9})  # fmt: skip
    def quantized_matmul(xp: Any, x: Any, q: Any, scale: Any, bias: Any) -> Any:
        w = q * scale[:, :, None] + bias[:, :, None]
        return xp.einsum("mgk,ngk->mn", x, w)

    return quantized_matmul


def scaled(group: int, number: str, scales: str) -> Any:
    @assay.operation(x=f"M, G, {group}", q=f"N, G, {group} of {number}", scale=f"N, G of {scales}", properties="rows=M",
                     limits={"M": 33, "N": 65, "G": 9})  # fmt: skip
    def quantized_matmul(xp: Any, x: Any, q: Any, scale: Any) -> Any:
        return xp.einsum("mgk,ngk->mn", x, q * scale[:, :, None])

    return quantized_matmul


def to_mlx(array: Any) -> Any:
    import mlx.core as mx

    whole = np.ascontiguousarray(array)
    return mx.array(whole.view(np.uint16)).view(mx.bfloat16) if whole.dtype.name == "bfloat16" else mx.array(whole)


def product(mode: str, group: int, bits: int) -> Callable[[Any], Any]:
    def kernel(p: Any) -> Any:
        import mlx.core as mx

        x, q = (to_mlx(one).reshape(one.shape[0], -1) for one in (p.x, p.q))
        bias = to_mlx(p.bias) if mode == "affine" else None
        y = mx.quantized_matmul(x, q, to_mlx(p.scale), bias, group_size=group, bits=bits, mode=mode)
        return np.array(y.view(mx.uint16)).view(p.x.dtype) if y.dtype == mx.bfloat16 else np.array(y)

    return kernel


def entries() -> Iterator[Entry]:
    packed = {"q": "uint32 low-first"}
    for bits in BITS:
        for group in (32, 64, 128):
            title, operation, kernel = f"affine {bits} bits by {group}", affine(group, bits), product("affine", group, bits)
            yield Entry(f"{title}, float32", operation, kernel, {"dtypes": packed, "empty": False})
            for dtype in ("float16", "bfloat16"):
                declared = {"dtype": dtype, "dtypes": packed, "empty": False}
                yield Entry(f"{title}, {dtype}", operation, kernel, declared)
                own = {"compute": dtype, "accumulate": dtype, "limits": {"M": 33, "N": 65, "G": 288 // group}}
                yield Entry(f"{title}, {dtype}, sums in {dtype}", operation, kernel, {**declared, **own})
    for mode, group, bits, number, scales in (("mxfp4", 32, 4, "e2m1", "e8m0"), ("mxfp8", 32, 8, "e4m3", "e8m0"),
                                              ("nvfp4", 16, 4, "e2m1", "e4m3")):  # fmt: skip
        yield Entry(f"{mode}, float32", scaled(group, number, scales), product(mode, group, bits),
                    {"dtypes": {**packed, "scale": "uint8"}, "empty": False})  # fmt: skip


def main() -> int:
    return print_verdicts(entries(), arguments(__doc__).parse_args())


if __name__ == "__main__":
    sys.exit(main())
