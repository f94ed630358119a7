"""bench/quantised_ggml.py with a kernel of our own in the place of ggml's: it has the blocks, the arguments and the grid."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))
ggml, entries = import_module("quantised_ggml"), import_module("quantised_entries")

SHADER = """
#include <metal_stdlib>
using namespace metal;

constant short simdgroups [[function_constant(600)]];
constant short threads [[function_constant(601)]];
constant short planes [[function_constant(602)]];
constant short repeats [[function_constant(603)]];
constant short others [[function_constant(604)]];
constant bool is_split [[function_constant(605)]];

struct Arguments {
  int ne00, ne01, ne02;
  ulong nb00, nb01, nb02, nb03;
  int ne10, ne11, ne12;
  ulong nb10, nb11, nb12, nb13;
  int ne0, ne1, nr0;
  short r2, r3;
};

#define PRODUCT(name, block, rows, CODE)                                                                        \\
  kernel void name(constant Arguments& args [[buffer(0)]], device const char* w [[buffer(1)]],                  \\
                   device const char* y [[buffer(2)]], device char* out [[buffer(3)]],                          \\
                   threadgroup char* unused [[threadgroup(0)]],                                                 \\
                   uint3 group [[threadgroup_position_in_grid]], uint at [[thread_index_in_threadgroup]]) {     \\
    if (at >= rows || group.x * rows + at >= uint(args.ne01)) return;                                           \\
    const uint row = group.x * rows + at;                                                                       \\
    float sum = 0;                                                                                              \\
    for (int k = 0; k < args.ne00; ++k) {                                                                       \\
      device const char* b = w + row * args.nb01 + k / 32 * block;                                              \\
      const float scale = float(*(device const half*)b);                                                        \\
      sum += scale * float(CODE(b + 2, k % 32)) * *(device const float*)(y + group.y * args.nb11 + k * args.nb10); \\
    }                                                                                                           \\
    *(device float*)(out + 4 * (group.y * args.ne0 + row)) = sum;                                               \\
  }

#define NIBBLE(b, k) ((uchar((b)[HALF ? k % 16 : k / 2]) >> (4 * (HALF ? k / 16 : k % 2)) & 15) - 8)
#define BYTE(b, k) (b)[k]
PRODUCT(kernel_mul_mv_q4_0_f32, 18, 8, NIBBLE)
PRODUCT(kernel_mul_mv_q8_0_f32, 34, 2, BYTE)
"""


@pytest.mark.parametrize("title, half, said", [
    ("mul_mv q4_0", 1, "passed"), ("mul_mv q8_0", 1, "passed"),
    ("mul_mv q4_0", 0, "outputs fail"),  # pairs of codes side by side
])  # fmt: skip
def test_a_kernel_that_reads_the_blocks_passes(tmp_path, title, half, said):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "mul_mv.metal").write_text(f"#define HALF {half}\n" + SHADER)
    entry = next(one for one in ggml.entries(tmp_path, tmp_path) if one.title == title)
    declared = {**entry.declared, "limits": {"M": 3, "N": 8, "G": 3}}
    assert said in entries.judged(entry._replace(declared=declared), 5)
