"""MLX's kernels as Apple's compiler has made them: how the package's source calls each."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Tuple

from . import gallery
from ._apple_kernel import AppleKernel, Binding, buffers, constants, fields
from ._references import operation


@operation(x="N, D", minus_infinity="x", properties="rows=N")
def logsumexp(xp: Any, x: Any) -> Any:
    m = xp.max(x, axis=-1, keepdims=True)
    m = xp.where(m > -xp.inf, m, 0)
    return xp.log(xp.sum(xp.exp(x - m), axis=-1)) + m[:, 0]


@operation(a="M, K", x="K", properties="rows=M scaling=K", limits={"M": 129, "K": 1025})
def matrix_vector(xp: Any, a: Any, x: Any) -> Any:
    return xp.sum(a * x, axis=-1)


@operation(q="H, T, D", k="H, S, D", v="H, S, D", properties="rows=H", limits={"H": 3, "T": 5, "S": 129, "D": 65})
def attention(xp: Any, q: Any, k: Any, v: Any) -> Any:
    scores = xp.matmul(q, xp.matrix_transpose(k)) * 0.25
    e = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return xp.matmul(e / xp.sum(e, axis=-1, keepdims=True), v)


def by_rows(function: str, group: str, *arguments: Any, **more: Any) -> Binding:
    """A threadgroup for each of the N rows."""
    return {"passes": [{"function": function, "groups": ["N"], "group": [group], "buffers": buffers(*arguments), **more}]}


_EPS, _D = ("float", "2^-17"), ("uint", "D")
_FLUSHED = {"empty": False, "subnormals": False}
_CORE = {"empty": False}


def _roads(reads: int, longest: int) -> Iterator[Tuple[str, str, Dict[str, Any]]]:
    """Whether the host takes the kernel that loops, its group, and the sizes for which it takes it."""
    yield "", f"32 * ceil_div(ceil_div(D, {reads}), 32)", {"limits": {"D": longest}}
    yield "looped", "1024", {"extents": {"D": [longest + 1, longest + 907]}, "limits": {"N": 3}}


def _rows() -> Iterator[AppleKernel]:
    for looped, group, sizes in _roads(4, 4096):
        kind, ends = looped or "block", ("x", "output0", ("int", "D"))
        for name, of in (("softmax", gallery.softmax), ("logsumexp", logsumexp)):
            function = f"{kind}_{name}_float32"
            yield AppleKernel(function, "mlx_metal", of, by_rows(function, group, *ends), {**_FLUSHED, **sizes})
        function = f"rms{'_' * bool(looped)}{looped}float32"
        binding = by_rows(function, group, "x", "weight", "output0", _EPS, _D, ("uint", 1))
        yield AppleKernel(function, "mlx_metal", gallery.rms_norm, binding, {**_CORE, **sizes})
    for looped, group, sizes in _roads(8, 6656):
        function = f"layer_norm{'_' * bool(looped)}{looped}float32"
        places = (_EPS, _D, ("uint", 1), ("uint", 1))
        binding = by_rows(function, group, "x", "weight", "bias", "output0", *places)
        yield AppleKernel(function, "mlx_metal", gallery.layer_norm, binding, {**_CORE, **sizes})


def _products() -> Iterator[AppleKernel]:
    shape = fields("int * 8, long * 3, int * 3", "M", "N", "K", "K", "N", "N", "ceil_div(N, 64)", "ceil_div(M, 64)",
                   "0", "0", "0", "0", "floor(K / 16)", "0")  # fmt: skip
    gemm = "steel_gemm_fused_nn_float32_float32_bm64_bn64_bk16_wm2_wn2"
    tile = {
        "function": gemm, "groups": ["ceil_div(N, 64)", "ceil_div(M, 64)"], "group": [32, 2, 2],
        "buffers": buffers("a", "b", None, "output0", ("struct", "Shape")),
        "constants": [*[{"index": n, "type": "bool", "value": "0"} for n in (10, 100, 110)],
                      *constants(200, "M == 64 * floor(M / 64)", "N == 64 * floor(N / 64)", "K == 16 * floor(K / 16)")],
    }  # fmt: skip
    yield AppleKernel(gemm, "mlx_metal", gallery.matmul, {"structs": {"Shape": shape}, "passes": [tile]}, _CORE)
    # The host takes the first where K <= 64, the second where K >= 16 M, the third elsewhere; all take every size.
    for bm, bn, sm, sn in ((1, 1, 8, 4), (1, 8, 1, 32), (4, 1, 1, 32)):
        passes = []
        for tm, condition in ((1, "M < 4"), (4, "M >= 4")):
            name = f"gemv_float32_bm{bm}_bn{bn}_sm{sm}_sn{sn}_tm{tm}_tn4_nc0_axpby0"
            passes.append({
                "function": name, "condition": condition, "groups": [f"ceil_div(M, {bm * sm * tm})"], "group": [32, bn, bm],
                "buffers": buffers("a", "x", "a", "output0", ("int", "K"), ("int", "M"), ("int", "K"), ("float", 1), ("float", 0),
                                   ("int", 1), ("int", 1), ("long", 0), ("long", 0), ("long", 0), ("int", 0)),
            })  # fmt: skip
        title = name.replace("_tm4", "_tm1_or_tm4")
        yield AppleKernel(title, "mlx_metal", matrix_vector, {"passes": passes}, _CORE)


def _attentions() -> Iterator[AppleKernel]:
    sizes = {"extents": {"D": [64]}}
    scale, strides = ("float", "0.25"), (("ulong", "S * D"), ("ulong", "D"))
    vector = {
        "function": "sdpa_vector_float_64_64", "groups": ["H", "T"], "group": [1024],
        "buffers": buffers("q", "k", "v", "output0", ("int", 1), ("int", "S"), *strides, *strides, scale),
        "constants": constants(20, *"000000"),
    }  # fmt: skip
    yield AppleKernel("sdpa_vector_float_64_64", "mlx_metal", attention, {"step_limit": "4e9", "passes": [vector]},
                      {**_FLUSHED, **sizes})  # fmt: skip
    blocks = ("ceil_div(T, 32)", "floor(T / 32)", "T - 32 * floor(T / 32)", "T * D", "H * T * D")
    count, whole, rest, head, batch = blocks
    params = fields("int * 6, float, int * 7, long * 12", "1", "H", "D", "T", "T", "1", "0.25", count, count, whole, whole,
                    rest, rest, "0", *[batch, head, "D"] * 4)  # fmt: skip
    steel = {
        "function": "steel_attention_float32_bq32_bk32_bd64_bv64_wm4_wn1_maskfloat32", "groups": [count, "H", "1"],
        "group": [32, 4, 1], "buffers": buffers("q", "k", "v", "output0", ("struct", "Params")),
        "constants": [*constants(200, f"{rest} == 0", f"{rest} == 0"), *constants(300, "0", "1", "0", "0")],
    }  # fmt: skip
    # It multiplies the scores by log2 e, for exp2.
    yield AppleKernel(f"{steel['function']}, causal", "mlx_metal", gallery.causal_attention,
                      {"structs": {"Params": params}, "step_limit": "4e9", "passes": [steel]},
                      {**_FLUSHED, **sizes, "rounds": {"scores": 1}})  # fmt: skip


def mlx_kernels() -> Iterator[AppleKernel]:
    yield from _rows()
    yield from _products()
    yield from _attentions()
