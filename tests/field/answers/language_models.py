"""Surge's kernels, an inference of a language model without reductions of a simdgroup."""

import numpy as np

from assay.metal import unset

from .case import case


def words(*numbers):
    """Parameters: whole numbers, and the bits of floats."""
    return np.array([np.float32(n).view(np.uint32) if isinstance(n, float) else n for n in numbers], np.uint32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(np.float64)))


def surge(kernel, shapes, parameters, expected, allowed, grid, group=256, out=None):
    @case("omar16100/surge", "src/kernels.metal", kernel)
    def _(library, r):
        given = [r.standard_normal(shape, np.float32) for shape in shapes]
        answer = expected(*given)
        got = library[kernel](*given, unset(answer.shape, "float32"), words(*parameters), grid=grid, group=group)
        return [(got, answer, allowed)]


N, ROUNDING = 600, 2.0**-24
surge(
    "k_rmsnorm", [N, N], (N, 1e-5, 1), lambda x, w: x / np.sqrt((x.astype(np.float64) ** 2).mean() + 1e-5) * w, 80 * ROUNDING, 256
)
surge("k_softmax", [N, 1], (N,), lambda x, _: np.exp(x) / np.exp(x.astype(np.float64)).sum(), ROUNDING, 256)
surge("k_swiglu", [N, N], (N,), lambda gate, up: gate * sigmoid(gate) * up, 60 * ROUNDING, 768)
surge("k_silu", [N, 1], (N,), lambda x, _: x * sigmoid(x), 16 * ROUNDING, 768)
surge("k_gate_sigmoid", [N, N], (N,), lambda x, gate: x * sigmoid(gate), 16 * ROUNDING, 768)
surge("k_scale", [N, 1], (N, 0.3), lambda x, _: x * np.float32(0.3), 0, 768)
surge("k_add", [N, N], (N,), lambda x, y: x + y, 0, 768)
surge("k_matvec_f32", [(5, N), N], (5, N), lambda w, x: w.astype(np.float64) @ x, 500 * ROUNDING, 5 * 256)


@case("omar16100/surge", "src/kernels.metal", "k_matvec_bf16")
def _(library, r):
    w, x = r.standard_normal((5, N), np.float32), r.standard_normal(N, np.float32)
    bits = (w.view(np.uint32) >> 16).astype(np.uint16)
    kept = (bits.astype(np.uint32) << 16).view(np.float32)
    got = library.k_matvec_bf16(bits, x, unset(5, "float32"), words(5, N), grid=5 * 256, group=256)
    return [(got, kept.astype(np.float64) @ x, 500 * ROUNDING)]


@case("omar16100/surge", "src/kernels.metal", "k_rope")
def _(library, r):
    x, angles = r.standard_normal(64, np.float32), r.random(16)
    table = np.concatenate([np.cos(angles), np.sin(angles)]).astype(np.float32)
    got = library.k_rope(x, table, unset(64, "float32"), words(64, 32), grid=64)
    turned = (x[:16] + 1j * x[16:32]) * (table[:16] + 1j * table[16:].astype(np.float64))
    return [(got, np.concatenate([turned.real, turned.imag, x[32:]]), 8 * ROUNDING)]
