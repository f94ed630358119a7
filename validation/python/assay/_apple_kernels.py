"""Kernels of MLX and PyTorch as Apple's compiler has made them, and how their hosts call them: a binding for each.

They are in the wheels for macOS. python3 -m assay.conformance --wheel FILE.whl judges them on the emulator; with --bindings
FOLDER it writes the bindings instead, for assay gate.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List, Sequence, Tuple, Union

import numpy as np

from . import gallery
from ._references import operation

Binding = Dict[str, Any]


@dataclass(frozen=True)
class AppleKernel:
    """A kernel of a package, with the binding that calls it: all but the source."""

    title: str  # the function, and how it is called
    package: str  # as its wheel's name begins
    operation: Any
    binding: Binding
    declared: Dict[str, Any] = field(default_factory=dict)  # of an operation of the gallery; others have it in the binding
    library: str = ""  # the number of the library, where the package has several
    batch: Dict[str, np.ndarray] = field(default_factory=dict)  # judged in place of generated cases

    def write(self, wheel: Path, folder: Path) -> Path:
        """The binding's file, in the folder."""
        name = self.operation if isinstance(self.operation, str) else self.operation.name
        path = folder / f"{self.title.replace(', ', '-').replace(' ', '_')}.json"
        binding = {"operation": name, "source": f"{wheel.absolute()}{self.library}", **self.binding}
        path.write_text(json.dumps(binding, indent=1) + "\n")
        if self.batch:
            np.savez(path.with_suffix(".npz"), **self.batch)
        return path

    def options(self, path: Path) -> Dict[str, Any]:
        """Those of assay.gate, besides what is declared."""
        only = {"input": str(path.with_suffix(".npz")), "cases": 0, "filter": "^(loss|gradient)$"}
        return {**self.declared, **(only if self.batch else {})}


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


Value = Union[str, int, Tuple[str, str]]


def buffers(*given: Union[str, Tuple[str, Value], None]) -> List[Dict[str, Any]]:
    """One for each index: the name of an array, a type with a value, "struct" with its name, or nothing."""
    result = []
    for index, one in enumerate(given):
        if isinstance(one, str):
            result.append({"index": index, "array": one})
        elif one is not None:
            kind, value = one
            result.append({"index": index, "struct": value} if kind == "struct" else {"index": index, "type": kind, "value": str(value)})
    return result


def fields(types: str, *values: str) -> List[Dict[str, str]]:
    """Of a struct: "int * 3, long" and a value for each."""
    names = [name for part in types.split(", ") for name in [part.split()[0]] * int((part.split() + ["*", "1"])[2])]
    assert len(names) == len(values), (names, values)
    return [{"type": name, "value": value} for name, value in zip(names, values)]


def constants(first: int, *values: str) -> List[Dict[str, Any]]:
    return [{"index": first + n, "type": "bool", "value": value} for n, value in enumerate(values)]


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
        ends = (_EPS, _D, ("uint", 1), ("uint", 1))
        binding = by_rows(function, group, "x", "weight", "bias", "output0", *ends)
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
        for tm, condition in ((1, "M < 4"), (4, "M >= 4")):
            name = f"gemv_float32_bm{bm}_bn{bn}_sm{sm}_sn{sn}_tm{tm}_tn4_nc0_axpby0"
            if tm == 1:
                passes = []
            passes.append({
                "function": name, "condition": condition, "groups": [f"ceil_div(M, {bm * sm * tm})"], "group": [32, bn, bm],
                "buffers": [*buffers("a", "x", "a", "output0", ("int", "K"), ("int", "M"), ("int", "K"), ("float", 1), ("float", 0),
                                     ("int", 1), ("int", 1), ("long", 0), ("long", 0), ("long", 0), ("int", 0))],
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
    yield AppleKernel(f"{steel['function']}, causal", "mlx_metal", gallery.causal_attention,
                      {"structs": {"Params": params}, "step_limit": "4e9", "passes": [steel]}, {**_FLUSHED, **sizes})  # fmt: skip


def ctc_binding(threads: str) -> Binding:
    """PyTorch's three kernels of CTC, one threadgroup of `threads` threads for each row of the batch."""
    strides = ("1", "B * C", "C", "1", "T * L", "L", "1")
    rows = ("targets", "input_lengths", "target_lengths", "target_offsets")
    begin = ("blank", "T", "S")
    params = fields("int * 11", *begin, "B", *strides)
    collect = fields("int * 15, bool", *begin, "C", *strides, "B * C", "C", "1", "1", "zero_infinity")
    arrays = ("gradient", "upstream", "alpha", "beta", "log_probs", *rows[:3], "loss", rows[3], ("struct", "Collect"))
    by_row = {"groups": ["B"], "group": [threads]}
    forward = buffers("loss", "alpha", "log_probs", *rows, ("struct", "Params"))
    backward = buffers("beta", "log_probs", *rows, ("struct", "Params"))
    return {
        "declares": {"arithmetic": "log_space", "unit_roundoff": "2^-24"},
        "support": {"logits": False, "gradient_of_log_probs": False, "reduction_sum": False, "reduction_mean": False,
                    "zero_infinity": False, "empty": False},
        "host_validates": True,
        "types": {name: "int" for name in rows},
        "scratch": {name: {"type": "float", "elements": "B * T * L"} for name in ("alpha", "beta")},
        "fill": {"gradient": "-1/0", "beta": "-1/0"},
        "structs": {"Params": params, "Collect": collect},
        "passes": [
            {"function": "ctc_loss_float_int_int32_t", **by_row, "buffers": forward},
            {"condition": "with_gradient", "passes": [
                {"function": "ctc_loss_backward_log_beta_float_int_int32_t", **by_row, "buffers": backward},
                {"function": "ctc_loss_backward_collect_float_int_int32_t", "grid": ["T", "B"], "group": ["min(T, 1024)", "1"],
                 "buffers": buffers(*arrays)},
            ]},
        ],
    }  # fmt: skip


def ctc_batch(T: int, S: int) -> Dict[str, np.ndarray]:
    """A row of S labels whose last frames are silence, as at the end of speech: its paths stay in the last blank."""
    x = np.random.default_rng(0).normal(size=(T, 1, 3))
    x[-6:, 0, 0] += 8
    log_probs = (x - np.log(np.exp(x).sum(-1, keepdims=True))).astype(np.float32)
    lengths = {"input_lengths": np.array([T]), "target_lengths": np.array([S])}
    return {"log_probs": log_probs, "targets": (1 + np.arange(S) % 2)[None], **lengths, "blank": np.int64(0)}


def svd_binding(threads: str) -> Binding:
    """PyTorch's Jacobi, as its host calls it for A^T: the left vectors come in its last array, and all are row-major."""
    staged = "4 * (M * N + N * N) <= 32768 - 1024"
    params = fields("uint * 3, float, uint * 4, bool * 3", "M", "N", "30", "1e-6", "N", "N * N", "N", "M * N", "1", "1", staged)
    jacobi = {
        "function": "svd_jacobi_float", "groups": ["B"], "group": [threads],
        "buffers": buffers("A", "Vh", "S", "U", "accumulated", "info", ("struct", "Params")),
        "threadgroup_memory": [{"index": 0, "bytes": "4 * M * N"}, {"index": 1, "bytes": f"{staged} ? 4 * N * N : 4"}],
    }  # fmt: skip
    return {
        "declares": {"sweeps": 30},
        "support": {"wide": False, "empty": False, "largest_M": 96, "largest_N": 64},
        "host_validates": True,
        "scratch": {"accumulated": {"type": "float", "elements": "B * N * N"}, "info": {"type": "int", "elements": "B"}},
        "structs": {"Params": params},
        "step_limit": "4e9",
        "passes": [jacobi],
    }


def _torch() -> Iterator[AppleKernel]:
    # The host takes as many threads as there are states, and at most as many as the kernel and the device allow.
    host = ctc_binding("min(1024, L)")
    yield AppleKernel("ctc_loss", "torch", "ctc", host, library="#2")
    yield AppleKernel("ctc_loss, 511 labels", "torch", "ctc", host, library="#2", batch=ctc_batch(560, 511))
    yield AppleKernel("ctc_loss, 512 labels", "torch", "ctc", host, library="#2", batch=ctc_batch(560, 512))
    yield AppleKernel("ctc_loss, one label, two threads", "torch", "ctc", ctc_binding("2"), library="#2", batch=ctc_batch(8, 1))
    for threads, title in (("32 * min(32, max(1, ceil_div(N, 2)))", ""), ("32", ", 32 threads")):
        yield AppleKernel(f"svd_jacobi_float{title}", "torch", "svd", svd_binding(threads), library="#2")


APPLE_KERNELS = (*_rows(), *_products(), *_attentions(), *_torch())


def of_wheels(wheels: Sequence[Path]) -> Iterator[Tuple[AppleKernel, str, Path]]:
    """Each kernel with its package's name and version, and the wheel. Raises ValueError for the wheel of another package."""
    for wheel in wheels:
        package, _, rest = wheel.name.partition("-")
        chosen = [kernel for kernel in APPLE_KERNELS if kernel.package == package]
        if not chosen or not wheel.name.endswith(".whl"):
            known = ", ".join(sorted({f"{one.package}-*.whl" for one in APPLE_KERNELS}))
            raise ValueError(f"'{wheel}': expected one of {known}, for macOS")
        for kernel in chosen:
            yield kernel, f"{package.replace('_', '-')} {rest.partition('-')[0]}, as Apple compiled it", wheel
