"""How kernels of MLX are called: sizes, strides and grids as MLX's host gives them, by the names of the arguments.

Each function makes a call from the match of a kernel's name with the pattern of its family (mlx_families.py) and from the
bytes of each argument's elements. What is no number of a call is an array of data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Tuple

Bytes = Mapping[str, int]


@dataclass
class Call:
    """The values of arguments by name, the extents of the grid in threads, or in groups, and the rest of a dispatch."""

    numbers: Dict[str, Any]
    grid: Tuple[int, ...] = ()
    group: Tuple[int, ...] = (64,)
    groups: Tuple[int, ...] = ()
    constants: Dict[int, Any] = field(default_factory=dict)
    small: Dict[str, int] = field(default_factory=dict)  # data that lies in [0, n)
    elements: int = 1 << 16  # of each array of data
    is_sorted: Tuple[str, ...] = ()


SIZE = 1000
SHAPE = [10, 12, 8]
TRANSPOSED = [8, 80, 1]
IN_ORDER = [96, 8, 1]


def ceil(a: int, b: int) -> int:
    return -(-a // b)


def flat(match: "re.Match[str]", output: int) -> Call:
    """One element for each thread, or as many as have eight bytes."""
    kind = match["kind"]
    many = max(8 // output, 1) if kind.endswith(("n", "2")) else 1
    is_two_dimensional = kind.endswith("2")
    threads = ceil(SIZE, many)
    shift = {"b": 8 * output} if re.match(r"(Left|Right)Shift", match["op"]) else {}
    return Call({"size": SIZE}, grid=(ceil(threads, 2), 2) if is_two_dimensional else (threads,), small=shift)


def strided(match: "re.Match[str]", _: Bytes) -> Call:
    """Arrays of one to three axes, the first of them transposed; g1, g2, g3 by index, gn by loops over the last axis."""
    kind, numbers = match["kind"], {}
    axes = int(kind[1]) if kind[1].isdigit() else int(kind[2]) if kind[2:3].isdigit() and kind.startswith("gg") else 0
    kept = SHAPE[3 - axes :] if axes else SHAPE
    for name in ("a", "in", "src"):
        numbers.update({f"{name}_strides": TRANSPOSED[-len(kept) :], f"{name}_stride": 3})
    for name in ("b", "c", "dst"):
        numbers.update({f"{name}_strides": IN_ORDER[-len(kept) :], f"{name}_stride": 2})
    if axes == 1:
        numbers = {key: value if key.endswith("_stride") else value[:1] for key, value in numbers.items()}
    shape = {name: SHAPE for name in ("shape", "in_shape", "src_shape")}
    numbers.update({**shape, "ndim": 3, "src_offset": 5, "dst_offset": 7})
    each = int(found[1]) if (found := re.search(r"n(\d)", kind)) else 1
    grid = (ceil(kept[-1], each), *reversed(kept[:-1]))
    return Call(numbers, grid=grid, group=(4, 4, 2)[: len(grid)], small={"b": 8} if "Shift" in match["op"] else {})


def reduced(match: "re.Match[str]", _: Bytes) -> Call:
    """Rows and columns of a tensor whose last axes are reduced; the number in a kernel's name is that of the reduced axes."""
    kind, axes = match["kind"], int(match["axes"] or 1)
    many = 1 if axes == 1 else 6
    outer = {1: [], 2: [6], 5: [1, 1, 1, 6]}[axes]
    if kind.startswith("row"):
        row = 37 if "small" in kind else 150
        shape = {1: [6], 2: [2, 3], 5: [1, 1, 1, 2, 3]}[axes]
        strides = {1: [row], 2: [3 * row, row], 5: [6 * row, 6 * row, 6 * row, 3 * row, row]}[axes]
        numbers = {"row_size": row, "non_row_reductions": 6, "shape": [20], "strides": [6 * row], "ndim": 1, "out_size": 20,
                   "reduce_shape": shape, "reduce_strides": strides, "reduce_ndim": axes, "reduction_size": row}  # fmt: skip
        grid = {"row_reduce_small": (20,), "row_reduce_simple": (64, 5), "row_reduce_looped": (64, 20)}[kind]
        return Call(numbers, grid=grid, group=(20,) if len(grid) == 1 else (64, 1))
    stride, rows = (8, 64) if "long" in kind else (40, 6)
    numbers = {"reduction_size": rows, "reduction_stride": stride, "shape": [4], "strides": [stride * rows * many], "ndim": 1,
               "reduce_shape": [*outer, rows], "reduce_strides": [stride * rows] * len(outer) + [stride],
               "reduce_ndim": axes, "non_col_reductions": many, "column_offset": 0,
               "out_size": 4 * stride if "long" in kind else 4}  # fmt: skip
    if "looped" in kind or "2pass" in kind:
        return Call(numbers, groups=(ceil(stride, 32), 4 * (32 if "2pass" in kind else 1), 1), group=(256, 1, 1))
    if "long" in kind:
        return Call(numbers, groups=(4, 1, 32), group=(8, 8, 1))
    return Call(numbers, groups=(1, 4, 1), group=(10, 6, 1))


def rows(axis: int, each: int, looped: bool = False, count: int = 5, **numbers: Any) -> Call:
    """A group of threads for each row, each thread with `each` elements at a time."""
    group = 64 if looped else 32 * ceil(ceil(axis, each), 32)
    return Call({"axis_size": axis, "eps": 1e-5, "w_stride": 1, "b_stride": 1, "n_rows": count, "rows_per_group": 1,
                 **numbers}, grid=(group * count,), group=(group,), constants={20: True},
                small={"targets": axis})  # fmt: skip


def rope(match: "re.Match[str]", _: Bytes) -> Call:
    dims, steps, heads = 32, 5, 4
    numbers = {"offset": 3, "scale": 0.5, "base": 13.2877, "stride": dims, "freq_stride": 1, "offset_stride": 0,
               "n_head": heads, "strides": [steps * dims, dims, 1], "out_strides": [steps * dims, dims, 1]}  # fmt: skip
    grid = (dims // 2, 6) if "single" in match["kind"] else (dims // 2, steps, 1)
    return Call(numbers, grid=grid, group=(16, 1, 1)[: len(grid)], constants={1: True, 2: "large" in match["kind"], 3: False})


def scanned(match: "re.Match[str]", size: Bytes) -> Call:
    each = 4 if size["in"] <= 4 else 2
    if match["kind"] == "contig":
        group = 32 * ceil(300, 32 * each)
        return Call({"axis_size": 300}, grid=(group, 5, 1), group=(group, 1, 1))
    group = 32 // each * 32
    return Call({"axis_size": 20, "stride": 40, "stride_blocks": 2}, grid=(group, 6, 1), group=(group, 1, 1))


def block_sort(match: "re.Match[str]", _: Bytes) -> Call:
    bn = int(match["bn"])
    n = bn * int(match["tn"]) - 3
    numbers = {"size_sorted_axis": n, "in_stride_sorted_axis": 1, "out_stride_sorted_axis": 1, "in_stride_segment_axis": n,
               "out_stride_segment_axis": n, "nc_dim": 1, "nc_shape": [2], "in_nc_strides": [n],
               "out_nc_strides": [n]}  # fmt: skip
    return Call(numbers, groups=(1, 2, 1), group=(bn, 1, 1))


def merge_sort(match: "re.Match[str]", _: Bytes) -> Call:
    bn, n = int(match["bn"]), 3000
    numbers = {"size_sorted_axis": n, "stride_sorted_axis": 1, "nc_dim": 1, "nc_shape": [1], "nc_strides": [n]}
    return Call(numbers, groups=(ceil(n, bn * int(match["tn"])), 1, 1), group=(bn, 1, 1))


BATCH = {f"{name}_batch_ndims": 1 for name in "xw"}
BATCH.update({f"{name}_strides": [0, 0] for name in "xwsb"})


def quantized(match: "re.Match[str]", _: Bytes) -> Call:
    """Products of a matrix of groups with a common scale; K elements are added, N come out for each of M rows."""
    kind, group, bits = match["kind"], int(match["gs"]), int(match["b"])
    M, N, K = (3, 128, 512) if "mm" not in kind else (32, 64, 128)
    if found := re.search(r"_d_(\d+)", match.string):
        K = int(found[1])
    numbers = {"in_vec_size": K, "out_vec_size": N, "K": K, "N": N, "M": M, "k_partition_size": K // 2,
               "split_k_partition_stride": M * N, **BATCH, "x_shape": [1, M], "w_shape": [1]}  # fmt: skip
    if "mm" in kind:
        return Call(numbers, groups=(2, 1, 2 if "splitk" in kind else 1), group=(32, 2, 2))
    if "qvm" in kind:
        return Call(numbers, groups=(M, ceil(N, 2 * min(group, 32)), 1), group=(32, 2, 1))
    if "wide" in kind:
        lanes, vectors = (int(re.search(rf"_{name}_(\d+)", match.string)[1]) for name in ("kl", "nv"))  # type: ignore[index]
        return Call(numbers, groups=(ceil(M, vectors), ceil(N, 32 // lanes * 2), 1), group=(32, 2, 1))
    if "quad" in kind:
        return Call(numbers, groups=(M, ceil(N, 64), 1), group=(32, 1, 1))
    return Call(numbers, groups=(M, ceil(N, 8), 1), group=(32, 2, 1))


def to_groups(match: "re.Match[str]", _: Bytes) -> Call:
    group, bits, elements = int(match["gs"]), int(match["b"]), 2048
    if "dequantize" in match["kind"] and "_quantize" not in match["kind"]:
        packed = 8 if bits in (3, 5) else 4 if bits == 6 else 8 // bits
        return Call({}, grid=(elements // packed,))
    return Call({}, grid=(elements // max(group // 32, 1),))


def gemv(match: "re.Match[str]", _: Bytes) -> Call:
    bm, bn, sm, sn, tm, tn = (int(match[name]) for name in ("bm", "bn", "sm", "sn", "tm", "tn"))
    is_transposed, given, taken = match["t"] is not None, 200, 64
    numbers = {"in_vec_size": given, "out_vec_size": taken, "marix_ld": taken if is_transposed else given, "alpha": 0.5,
               "beta": 2.0, "batch_ndim": 1, "batch_shape": [1], "vector_batch_stride": [0], "matrix_batch_stride": [0],
               "bias_batch_stride": [0], "bias_stride": 1}  # fmt: skip
    each = bn * sn * tn if is_transposed else bm * sm * tm
    return Call(numbers, groups=(ceil(taken, each), 1, 1), group=(32, bn, bm), constants={0: False, 1: False})


def gemm(match: "re.Match[str]", _: Bytes) -> Call:
    bm, bn, bk, wm, wn = (int(match[name]) for name in ("bm", "bn", "bk", "wm", "wn"))
    is_split, is_added = "splitk" in match["kind"], int(match["bm"]) == 64
    M, N, K = (64, 64, 64) if is_split else (70, 66, 50)
    if "MN_naligned" in match.string:
        M, N = 50, 45
    tiles_n, tiles_m = ceil(N, bn), ceil(M, bm)
    params = {"M": M, "N": N, "K": K, "lda": M if match["a"] == "t" else K, "ldb": K if match["b"] == "t" else N, "ldd": N,
              "ldc": N, "tiles_n": tiles_n, "tiles_m": tiles_m, "batch_stride_a": 0, "batch_stride_b": 0, "batch_stride_d": 0,
              "swizzle_log": 0, "gemm_k_iterations_aligned": (K // 2 if is_split else K) // bk, "batch_ndim": 1,
              "split_k_partitions": 2, "split_k_partition_stride": M * N, "split_k_partition_size": K // 2}  # fmt: skip
    added = {"ldc": N, "fdc": 1, "batch_stride_c": 0, "alpha": 0.5, "beta": 2.0}
    constants = {10: False, 100: is_added, 110: is_added, 200: False, 201: False, 202: False}
    return Call({"params": params, "addmm_params": added, "batch_shape": [1], "batch_strides": [0, 0]},
                groups=(tiles_n, tiles_m, 2 if is_split else 1), group=(32, wn, wm),
                constants={} if is_split else constants)  # fmt: skip


def accumulated(_: "re.Match[str]", __: Bytes) -> Call:
    return Call({"k_partitions": 3, "partition_stride": 640, "ldd": 32, "ldc": 32, "fdc": 1, "alpha": 0.5, "beta": 2.0},
                grid=(32, 20), group=(32, 4))  # fmt: skip


def attention(match: "re.Match[str]", _: Bytes) -> Call:
    bq, bk, bd, bv, wm, wn = (int(match[name]) for name in ("bq", "bk", "bd", "bv", "wm", "wn"))
    H, qL, kL = 2, 40, 50
    strides = {f"{name}_strides": [H * n * d, n * d, d] for name, n, d in
               (("Q", qL, bd), ("K", kL, bd), ("V", kL, bv), ("O", qL, bv))}  # fmt: skip
    params = {"B": 1, "H": H, "D": bd, "qL": qL, "kL": kL, "gqa_factor": 1, "scale": 0.125, "NQ": ceil(qL, bq),
              "NK": ceil(kL, bk), "NQ_aligned": qL // bq, "NK_aligned": kL // bk, "qL_rem": qL % bq, "kL_rem": kL % bk,
              "qL_off": kL - qL, **strides}  # fmt: skip
    has_mask = bd % 64 == 0
    return Call({"params": params, "mask_params": {"M_strides": [H * qL * kL, qL * kL, kL]}}, groups=(ceil(qL, bq), H, 1),
                group=(32, wm, wn),
                constants={200: False, 201: False, 300: has_mask, 301: not has_mask, 302: True, 303: True})  # fmt: skip


def attention_of_one(match: "re.Match[str]", _: Bytes) -> Call:
    """Few queries: a group of 32 simdgroups for each."""
    H, qL, N, D, V = 4, 2, 70, int(match["d"]), int(match["v"] or match["d"])
    numbers = {"gqa_factor": 2, "N": N, "k_head_stride": N * D, "k_seq_stride": D, "v_head_stride": N * V, "v_seq_stride": V,
               "scale": 0.125, "mask_kv_seq_stride": 1, "mask_q_seq_stride": N, "mask_head_stride": qL * N,
               "num_q_heads": H, "blocks": 32}  # fmt: skip
    constants = {20: True, 21: False, 22: D == 128, 23: D == 64, 24: D != 64, 25: D >= 128, 26: 32}
    if match["pass"] == "2pass_1_":
        return Call(numbers, groups=(H // 2, 1, 32), group=(32, 2, qL), constants=constants)
    return Call(numbers, groups=(H, qL, 1), group=(1024, 1, 1), constants=constants)


def odd_ends(match: "re.Match[str]", size: Bytes) -> Call:
    return {
        "arange": lambda: Call({}, grid=(200,)),
        "rbitsc": lambda: Call({"odd": False, "bytes_per_key": 40}, grid=(16, 5)),
        "rbits": lambda: Call({"odd": True, "bytes_per_key": 36, "ndim": 2, "key_shape": [16, 2], "key_strides": [2, 1]},
                              grid=(16, 5)),
        "init_reduce": lambda: Call({}, grid=(100,)),
        "all_reduce": lambda: Call({"in_size": SIZE, "row_size": SIZE}, grid=(256,), group=(256,)),
        "arg": lambda: Call({"shape": [6], "in_strides": [100], "out_strides": [1], "ndim": 1, "axis_stride": 1,
                             "axis_size": 100}, grid=(32, 6, 1), group=(32, 1, 1)),
        "searchsorted": lambda: Call({"n": 50, "a_stride": 1}, grid=(40, 1, 1), is_sorted=("a",)),
        "dot_product": lambda: Call({"n": 20000}, groups=(2,), group=(512,)),
    }[match["kind"]]()  # fmt: skip
