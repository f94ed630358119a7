"""Threads, barriers and memory in Metal: shaders that the emulator runs, every access checked.

Values alone seldom show a race: on a GPU they are right except now and then.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Dict

import numpy as np

from .. import metal
from .._references import operation
from .entry import Family
from .scans import row_sum

FAMILY = Family("metal")
FEW: Dict[str, Any] = {"cases": 2, "sizes": 16, "filter": "^outputs$"}  # each call starts the emulator
LIMITS = {"N": 3, "D": 130}
WAIT, WAIT_ALONE = "threadgroup_barrier(mem_flags::mem_threadgroup)", "threadgroup_barrier(mem_flags::mem_none)"

# One threadgroup of WIDTH threads for each row; the macros are what the kernels differ in.
SHADER = """
#include <metal_stdlib>
using namespace metal;

kernel void log_sum_exp(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& D [[buffer(2)]],
                        uint row [[threadgroup_position_in_grid]], uint tid [[thread_position_in_threadgroup]],
                        uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]]) {
  threadgroup float part[2];
  float m = -INFINITY;
  for (uint d = tid; d < D; d += 64) m = max(m, x[row * D + d]);
  m = simd_max(m);
  if (lane == 0) part[group] = m;
  AFTER_WRITING;
  m = max(part[0], part[1]);
  AFTER_READING;
  float s = 0;
  for (uint d = tid; d < D; d += 64) s += exp(x[row * D + d] - m);
  s = simd_sum(s);
  if (lane == 0) part[group] = s;
  AFTER_WRITING;
  if (tid == 0) y[row] = m + log(part[0] + part[1]);
}

kernel void variance(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& D [[buffer(2)]],
                     uint row [[threadgroup_position_in_grid]], uint tid [[thread_position_in_threadgroup]]) {
  threadgroup float part[64];
  float s = 0;
  for (uint d = tid; d < D; d += 64) s += x[row * D + d];
  part[tid] = s;
  for (uint width = 32; width > 0; width /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (tid < width) part[tid] += part[tid + width];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float mean = part[0] / D;
  AFTER_READING;
  s = 0;
  for (uint d = tid; d < D; d += 64) s += (x[row * D + d] - mean) * (x[row * D + d] - mean);
  part[tid] = s;
  for (uint width = 32; width > 0; width /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (tid < width) part[tid] += part[tid + width];
  }
  if (tid == 0) y[row] = part[0] / D;
}

kernel void mean_square(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& D [[buffer(2)]],
                        uint row [[threadgroup_position_in_grid]], uint tid [[thread_position_in_threadgroup]],
                        uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]],
                        uint groups [[simdgroups_per_threadgroup]], uint width [[threads_per_threadgroup]]) {
  threadgroup float part[8];
  float s = 0;
  for (uint d = tid; d < D; d += width) s += x[row * D + d] * x[row * D + d];
  s = simd_sum(s);
  if (lane == 0) part[group] = s;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  s = simd_sum(lane < groups ? part[lane] : 0.0f);
  for (uint d = tid; d < D; d += width) y[row * D + d] = x[row * D + d] / sqrt(s / D + 0x1p-17f);
}

kernel void row_sum(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& D [[buffer(2)]],
                    uint row [[threadgroup_position_in_grid]], uint tid [[thread_position_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]]) {
  threadgroup float part[2];
  BEFORE_LOADING;
  float s = 0;
  for (uint d = tid; d < (D + 63) / 64 * 64; d += 64) LOAD;
  s = simd_sum(s);
  if (lane == 0) part[group] = s;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (tid == 0) y[row] = RESULT;
}

kernel void total(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], device float* part [[buffer(2)]],
                  constant uint& N [[buffer(3)]], constant uint& groups [[buffer(4)]],
                  uint i [[thread_position_in_grid]], uint group [[threadgroup_position_in_grid]]) {
  const float s = simd_sum(i < N ? x[i] : 0.0f);
  if (i % 32 == 0) part[group] = s;
  if (i == 0 && ADDS_UP) {
    float all = 0;
    for (uint g = 0; g < groups; ++g) all += part[g];
    y[0] = all;
  }
}

kernel void add_up(device float* y [[buffer(0)]], device const float* part [[buffer(1)]], constant uint& groups [[buffer(2)]]) {
  float all = 0;
  for (uint g = 0; g < groups; ++g) all += part[g];
  y[0] = all;
}
"""
RIGHT = {"AFTER_WRITING": WAIT, "AFTER_READING": WAIT, "BEFORE_LOADING": "", "RESULT": "part[0] + part[1]", "ADDS_UP": "false",
         "LOAD": "s += d < D ? x[row * D + d] : 0.0f"}  # fmt: skip


@operation(x="N, D", limits=LIMITS)
def log_sum_exp(xp: Any, x: Any) -> Any:
    m = xp.max(x, axis=-1)
    return m + xp.log(xp.sum(xp.exp(x - m[:, None]), axis=-1))


@operation(x="N, D", limits=LIMITS)
def variance(xp: Any, x: Any) -> Any:
    d = x - xp.mean(x, axis=-1, keepdims=True)
    return xp.mean(d * d, axis=-1)


@operation(x="N, D", limits={"N": 3, "D": 260})
def over_root_mean_square(xp: Any, x: Any) -> Any:
    return x / xp.sqrt(xp.mean(x * x, axis=-1, keepdims=True) + 2.0**-17)


@operation(x="N", limits={"N": 130})
def total(xp: Any, x: Any) -> Any:
    return xp.sum(x, axis=-1, keepdims=True)


@lru_cache(maxsize=None)
def _library(*changed: Any) -> Any:
    return metal.compile(SHADER, macros={**RIGHT, **dict(changed)})


def _rows(name: str, p: Any, width: int = 64, shape: Any = None, **changed: str) -> Any:
    """The kernel of this name on the rows of x, a threadgroup for each."""
    x = np.ascontiguousarray(p.x)
    N, D = x.shape
    return _library(*changed.items())[name](x, metal.unset(shape or (N,), "float32"), D, grid=N * width, group=width)


def right_log_sum_exp(p: Any) -> Any:
    return _rows("log_sum_exp", p)


def right_variance(p: Any) -> Any:
    return _rows("variance", p)


def right_root_mean_square(p: Any) -> Any:
    return _rows("mean_square", p, 32 * min(-(-p.x.shape[1] // 32), 8), p.x.shape)


def right_row_sum(p: Any) -> Any:
    return _rows("row_sum", p)


def _total(p: Any, adds_up: str) -> Any:
    x, groups = np.ascontiguousarray(p.x), -(-len(p.x) // 32)
    y, part = np.zeros(1, np.float32), np.zeros(groups, np.float32)
    library = _library(("ADDS_UP", adds_up))
    library["total"](x, y, part, len(x), groups, grid=32 * groups, group=32)
    if adds_up == "false":
        library["add_up"](y, part, groups, grid=1)
    return y


def right_total(p: Any) -> Any:
    return _total(p, "false")


ROWS = {"N": 2, "D": 64}


@FAMILY.fault("ml-explore/mlx-lm#1719", log_sum_exp, right_log_sum_exp, shape=ROWS, **FEW)
def slots_used_again(p: Any) -> Any:
    """partial sums are written where other threads may still read the maxima"""
    return _rows("log_sum_exp", p, AFTER_READING="")


@FAMILY.fault("ml-explore/mlx-lm#1719 (mem_none)", log_sum_exp, right_log_sum_exp, shape=ROWS, **FEW)
def barrier_without_memory(p: Any) -> Any:
    """the barriers are mem_none: threads wait, and their writes need not be seen"""
    return _rows("log_sum_exp", p, AFTER_WRITING=WAIT_ALONE)


@FAMILY.fault("ggml-org/llama.cpp#3057", variance, right_variance, shape=ROWS, **FEW)
def no_barrier_after_the_mean(p: Any) -> Any:
    """the sums of squares overwrite the mean before all threads have read it"""
    return _rows("variance", p, AFTER_READING="")


@FAMILY.fault("ggml-org/llama.cpp#26708", over_root_mean_square, right_root_mean_square, shape=ROWS, **FEW)
def lanes_of_partial_simdgroup(p: Any) -> Any:
    """as many threads as elements: the last simdgroup has too few lanes to read all partial sums"""
    return _rows("mean_square", p, min(p.x.shape[1], 256), p.x.shape)


@FAMILY.fault("LeBonhommePharma/FlexAIDdS#374", row_sum, right_row_sum, shape=ROWS, limits=LIMITS, **FEW)
def sum_of_one_simdgroup(p: Any) -> Any:
    """simd_sum is taken for the sum of the threadgroup"""
    return _rows("row_sum", p, RESULT="s")


@FAMILY.fault("pytorch/executorch#22326", row_sum, right_row_sum, shape=ROWS, limits=LIMITS, **FEW)
def return_before_the_barrier(p: Any) -> Any:
    """threads past the row's end return, and the others wait at the barrier"""
    return _rows("row_sum", p, BEFORE_LOADING="if (tid >= D && lane != 0) return")


@FAMILY.fault("ggml-org/llama.cpp#3194", row_sum, right_row_sum, shape=ROWS, limits=LIMITS, **FEW)
def read_past_the_end(p: Any) -> Any:
    """lanes past the row's end read memory that is not the array's, and drop what they read"""
    return _rows("row_sum", p, LOAD="{ const float v = x[row * D + d]; s += d < D ? v : 0.0f; }")


@FAMILY.fault("beehive-lab/TornadoVM#1059", total, right_total, shape={"N": 128}, **FEW)
def partial_sums_of_other_groups(p: Any) -> Any:
    """one thread adds up the partial sums of groups that may not have run yet"""
    return _total(p, "true")
