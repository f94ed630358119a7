"""Judges ggml's Metal kernels of q4_0 and q8_0 on the emulator, as published: matrix by vector, by a few rows, by a matrix.

    python3 bench/quantised_ggml.py LLAMA.CPP/ggml/src/ggml-metal [--cases 40] [--only WORD]

Blocks of weights are made by a kernel of this file's own: 32 codes with a scale in float16, of 4 bits with the first 16 codes
in the low halves of the bytes, or of int8. Each kernel gets the sizes, grids and constants that ggml's host gives it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List

from quantised_entries import Entry, arguments, print_verdicts

import assay

# ggml's kernels take bytes: w in blocks, y for a, and out for the result.
PACK = """
inline void put_scale(device char* block, half scale) {
  block[0] = char(as_type<ushort>(scale) & 255);
  block[1] = char(as_type<ushort>(scale) >> 8);
}

kernel void pack_q4_0(device const uchar* q [[buffer(0)]], device const half* scale [[buffer(1)]], device char* w [[buffer(2)]],
                      uint at [[thread_position_in_grid]]) {
  put_scale(w + 18 * at, scale[at]);
  for (uint k = 0; k < 16; ++k) w[18 * at + 2 + k] = char(q[32 * at + k] | q[32 * at + k + 16] << 4);
}

kernel void pack_q8_0(device const char* q [[buffer(0)]], device const half* scale [[buffer(1)]], device char* w [[buffer(2)]],
                      uint at [[thread_position_in_grid]]) {
  put_scale(w + 34 * at, scale[at]);
  for (uint k = 0; k < 32; ++k) w[34 * at + 2 + k] = q[32 * at + k];
}

kernel void to_bytes(device const float* from [[buffer(0)]], device char* to [[buffer(1)]], uint at [[thread_position_in_grid]]) {
  for (uint k = 0; k < 4; ++k) to[4 * at + k] = as_type<char4>(from[at])[k];
}

kernel void from_bytes(device const char* from [[buffer(0)]], device float* to [[buffer(1)]],
                       uint at [[thread_position_in_grid]]) {
  to[at] = as_type<float>(char4(from[4 * at], from[4 * at + 1], from[4 * at + 2], from[4 * at + 3]));
}
"""


@assay.operation(a="M, G, 32", q="N, G, 32 of uint4", scale="N, G", properties="rows=M", limits={"M": 65, "N": 129, "G": 17})
def q4_0(xp: Any, a: Any, q: Any, scale: Any) -> Any:
    w = (q - 8) * scale[:, :, None]
    return xp.einsum("mgk,ngk->mn", a, w)


@assay.operation(a="M, G, 32", q="N, G, 32 of int8", scale="N, G", properties="rows=M", limits={"M": 65, "N": 129, "G": 17})
def q8_0(xp: Any, a: Any, q: Any, scale: Any) -> Any:
    w = q * scale[:, :, None]
    return xp.einsum("mgk,ngk->mn", a, w)


# ggml's arguments of a product: ne are extents and nb strides in bytes, of the weights (0), of a (1) and of the result.
VALUES = {"ne00": "32 * G", "ne01": "N", "ne02": 1, "nb00": "BLOCK", "nb01": "BLOCK * G", "nb02": "BLOCK * G * N",
          "nb03": "BLOCK * G * N", "ne10": "32 * G", "ne11": "M", "ne12": 1, "nb10": 4, "nb11": "128 * G", "nb12": "128 * G * M",
          "nb13": "128 * G * M", "ne0": "N", "ne1": "M", "nr0": 1, "r2": 1, "r3": 1}  # fmt: skip
TYPES = {"ne": "int", "nb": "ulong", "nr": "int", "r2": "short", "r3": "short"}
VECTOR = "ne00 ne01 ne02 nb00 nb01 nb02 nb03 ne10 ne11 ne12 nb10 nb11 nb12 nb13 ne0 ne1 nr0 r2 r3"
FEW_ROWS = VECTOR.replace("nr0 ", "")
MATRIX = "ne00 ne02 nb01 nb02 nb03 ne12 nb10 nb11 nb12 nb13 ne0 ne1 r2 r3"
BYTES = {"q4_0": 18, "q8_0": 34}


def binding(source: str, block: str, fields: str, passes: List[Dict[str, Any]], folders: List[str]) -> Dict[str, Any]:
    """Packs the weights into blocks, and multiplies by them."""
    size = BYTES[block]
    struct = [{"type": TYPES[name[:2]], "value": str(VALUES[name]).replace("BLOCK", str(size))} for name in fields.split()]
    given = [{"index": 0, "struct": "Arguments"}, *arrays(1, "w", "y", "out")]
    return {"operation": block, "source": source, "include_folders": folders, "structs": {"Arguments": struct},
            "scratch": {name: {"type": "char", "elements": elements}
                        for name, elements in (("w", f"{size} * N * G"), ("y", "128 * M * G"), ("out", "4 * M * N"))},
            "passes": [{"function": f"pack_{block}", "grid": ["N * G"], "buffers": arrays(0, "q", "scale", "w")},
                       {"function": "to_bytes", "grid": ["32 * M * G"], "buffers": arrays(0, "a", "y")},
                       *({**one, "buffers": given} for one in passes),
                       {"function": "from_bytes", "grid": ["M * N"], "buffers": arrays(0, "out", "output0")}]}  # fmt: skip


def arrays(first: int, *names: str) -> List[Dict[str, Any]]:
    return [{"index": first + k, "array": name} for k, name in enumerate(names)]


def constants(first: int, *values: Any) -> List[Dict[str, Any]]:
    """Function constants from an index on."""
    kinds = {bool: "bool", int: "short", str: "short"}
    return [{"index": first + k, "type": kinds[type(one)], "value": one} for k, one in enumerate(values)]


def vector(block: str) -> List[Dict[str, Any]]:
    """mul_mv: N_R0 rows of weights for a simdgroup of q4_0, or for N_SG simdgroups of q8_0."""
    rows, simdgroups, memory = {"q4_0": (8, 2, 0), "q8_0": (2, 4, 256)}[block]
    one = {"function": f"kernel_mul_mv_{block}_f32", "groups": [f"ceil_div(N, {rows})", "M"], "group": [32, simdgroups],
           "constants": constants(600, simdgroups, 0, 1, 1, 1, False)}  # fmt: skip
    return [{**one, "threadgroup_memory": [{"index": 0, "bytes": max(memory, 16)}]}]


def few_rows(block: str) -> List[Dict[str, Any]]:
    """mul_mv_ext: 2 to 8 rows of a, 2 to 5 at once, by 16 or 8 threads along a row."""
    at_once = {2: "M == 2", 3: "M == 3 || M == 6", 4: "M == 4 || M >= 7", 5: "M == 5"}
    threads = "(G / 8 == floor(G / 8) && M < 3) ? 16 : 8"
    return [{"function": f"kernel_mul_mv_ext_{block}_f32_r1_{rows}", "condition": condition, "group": [32, 2],
             "groups": [f"ceil_div(N, 2 * 32 / ({threads}))", f"ceil_div(M, {rows})"],
             "constants": constants(600, 2, threads, 1, 1, 1, False)}
            for rows, condition in at_once.items()]  # fmt: skip


def matrix(block: str) -> List[Dict[str, Any]]:
    """mul_mm: tiles of 64 rows of weights and 32 of a; the result is checked against its bounds unless the tiles fit."""
    fits = "N / 64 == floor(N / 64) && M / 32 == floor(M / 32)"
    passes = []
    for condition, checks in ((fits, False), (f"({fits}) == 0", True)):
        passes.append({"function": f"kernel_mul_mm_{block}_f32", "condition": condition, "group": [32, 4],
                       "groups": ["ceil_div(M, 32)", "ceil_div(N, 64)"], "constants": constants(700, False, checks, 1, 1, 1, 1),
                       "threadgroup_memory": [{"index": 0, "bytes": 8192 if checks else 6144}]})  # fmt: skip
    return passes


ROWS = {"mul_mv": ("mul_mv", VECTOR, vector, {"limits": {"M": 8, "N": 40, "G": 17}, "extents": {"N": "multiple of 8"}}),
        "mul_mv_ext": ("mul_mv", FEW_ROWS, few_rows, {"limits": {"M": 8, "N": 40, "G": 16},
                       "extents": {"M": "at least 2", "G": "multiple of 4"}}),
        "mul_mm": ("mul_mm", MATRIX, matrix, {"extents": {"M": "at least 9", "G": "at least 2"},
                   "limits": {"M": 65, "N": 129, "G": 9}, "products": "float16", "rounds": {"w": "float16"}})}  # fmt: skip


def entries(ggml: Path, to: Path) -> Iterator[Entry]:
    """Writes the bindings and their sources to a folder."""
    for kernel, (file, fields, passes, declared) in ROWS.items():
        source = to / f"{file}.metal"
        source.write_text(f'#include "{ggml}/kernels/{file}.metal"\n' + PACK)
        for block, operation in (("q4_0", q4_0), ("q8_0", q8_0)):
            path = to / f"{kernel}_{block}.json"
            path.write_text(json.dumps(binding(source.name, block, fields, passes(block), [str(ggml), str(ggml.parent)])))
            usual = {"dtypes": {"scale": "float16"}, "empty": False, "reach": "none", "subnormals": False, **declared}
            yield Entry(f"{kernel} {block}", operation, path, usual)
            if kernel == "mul_mv":  # whose last threadgroup reads rows that are not there
                yield Entry(f"{kernel} {block}, any number of rows", operation, path, {**usual, "extents": {}})


def main() -> int:
    asked = arguments(__doc__)
    asked.add_argument("ggml", type=Path)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return print_verdicts(entries(given.ggml.resolve(), Path(folder)), given)


if __name__ == "__main__":
    sys.exit(main())
