"""PyTorch's kernels as Apple's compiler has made them, of the library for macOS 26: how the package's source calls each."""

from __future__ import annotations

from typing import Dict, Iterator

import numpy as np

from ._apple_kernel import AppleKernel, Binding, buffers, fields


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
    return {"log_probs": log_probs, "targets": (1 + np.arange(S) % 2)[None], **lengths, "blank": np.array(0)}


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


def torch_kernels() -> Iterator[AppleKernel]:
    # The host takes as many threads as there are states, and at most as many as the kernel and the device allow.
    host = ctc_binding("min(1024, L)")
    yield AppleKernel("ctc_loss", "torch", "ctc", host, library="#2")
    yield AppleKernel("ctc_loss, 511 labels", "torch", "ctc", host, library="#2", batch=ctc_batch(560, 511))
    yield AppleKernel("ctc_loss, 512 labels", "torch", "ctc", host, library="#2", batch=ctc_batch(560, 512))
    yield AppleKernel("ctc_loss, one label, two threads", "torch", "ctc", ctc_binding("2"), library="#2", batch=ctc_batch(8, 1))
    for threads, title in (("32 * min(32, max(1, ceil_div(N, 2)))", ""), ("32", ", 32 threads")):
        yield AppleKernel(f"svd_jacobi_float{title}", "torch", "svd", svd_binding(threads), library="#2")
