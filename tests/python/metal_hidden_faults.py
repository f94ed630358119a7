"""Shaders of operations whose terms differ by nine digits: right ones of several makings, and faults that bounds do not see."""

import json

import assay

HEAD = "#include <metal_stdlib>\nusing namespace metal;\n"


@assay.operation(x="N, D of unit", limits={"N": 5, "D": 4})
def ramp(xp, x):
    """The logarithm of a sum whose terms before the last have a share of 1e-9 and less."""
    y = x + 22.0 * xp.arange(x.shape[1])
    m = xp.max(y, axis=-1, keepdims=True)
    return (m + xp.log(xp.sum(xp.exp(y - m), axis=-1, keepdims=True)))[:, 0]


@assay.operation(a="N, D of unit", b="N, D of unit", c="N", limits={"N": 5, "D": 33})
def tail(xp, a, b, c):
    """A product, and a small part of another sum."""
    return xp.sum(a * b, axis=-1) + xp.exp(-20.0 - c * c) * xp.sum(a, axis=-1)


@assay.operation(v="T, D of unit", limits={"T": 17, "D": 5})
def decaying(xp, v):
    """Attention whose scores fall by 20 a step: the next position would have a weight of 2e-9."""
    at = xp.arange(v.shape[0])
    weights = xp.where(at[:, None] >= at, xp.exp(-20.0 * xp.abs(at[:, None] - at)), 0)
    return xp.matmul(weights / xp.sum(weights, axis=-1, keepdims=True), 1 + v)


def shader(operation, source, arrays, grid, group, sizes):
    """The text of a shader, and its binding."""
    buffers = [{"index": k, "array": name} for k, name in enumerate(arrays)]
    buffers += [{"index": len(arrays) + k, "type": "uint", "value": size} for k, size in enumerate(sizes)]
    one = {"function": "mine", "grid": grid, "group": group, "buffers": buffers}
    return HEAD + source, json.dumps({"operation": operation, "source": "mine.metal", "passes": [one]})


def written(folder, made, *changes):
    """The path of the binding, of a shader with the changes."""
    source, binding = made
    for before, after in changes:
        assert source.count(before) == 1, before
        source = source.replace(before, after)
    (folder / "mine.metal").write_text(source)
    (folder / "mine.json").write_text(binding)
    return folder / "mine.json"


RAMP = """kernel void mine(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& D [[buffer(2)]],
                 uint n [[thread_position_in_grid]]) {
  float largest = -INFINITY, sum = 0;
  for (uint d = 0; d < D; ++d) largest = max(largest, x[n * D + d] + 22 * float(d));
  for (uint d = 0; d < D; ++d) sum += exp(x[n * D + d] + 22 * float(d) - largest);
  y[n] = largest + log(sum);
}
"""
ONLINE = """kernel void mine(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& D [[buffer(2)]],
                 uint n [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
  float largest = -INFINITY, sum = 0;
  for (uint d = lane; d < D; d += 32) {
    const float z = fma(22.0f, float(d), x[n * D + d]), next = max(largest, z);
    sum = sum * exp2((largest - next) * M_LOG2E_F) + exp2((z - next) * M_LOG2E_F);
    largest = next;
  }
  const float whole = simd_max(largest);
  sum = simd_sum(largest == -INFINITY ? 0.0f : sum * exp(largest - whole));
  if (lane == 0) y[n] = whole + log2(sum) / M_LOG2E_F;
}
"""
TREE = """kernel void mine(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& D [[buffer(2)]],
                 uint n [[threadgroup_position_in_grid]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float2 parts[64];
  parts[i] = i < D ? float2(x[n * D + i] + 22 * float(i), 1) : float2(-INFINITY, 0);
  for (uint half_of = 32; half_of > 0; half_of /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (i >= half_of) continue;
    const float2 a = parts[i], b = parts[i + half_of];
    if (b.y > 0) parts[i] = a.x > b.x ? float2(a.x, a.y + b.y * exp(b.x - a.x)) : float2(b.x, b.y + a.y * exp(a.x - b.x));
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i == 0) y[n] = parts[0].x + log(parts[0].y);
}
"""
TAIL = """kernel void mine(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                 device const float* c [[buffer(2)]], device float* y [[buffer(3)]], constant uint& D [[buffer(4)]],
                 uint n [[thread_position_in_grid]]) {
  float sum = 0, others = 0;
  for (uint d = 0; d < D; ++d) sum = fma(a[n * D + d], b[n * D + d], sum);
  for (uint d = 0; d < D; ++d) others += a[n * D + d];
  y[n] = sum + exp(-20 - c[n] * c[n]) * others;
}
"""
TAIL_BY_LANES = """kernel void mine(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                 device const float* c [[buffer(2)]], device float* y [[buffer(3)]], constant uint& D [[buffer(4)]],
                 uint n [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
  const float weight = 1 / exp(20 + c[n] * c[n]);
  float sum = 0, lost = 0;  // Kahan's sum
  for (uint d = lane; d < D; d += 32) {
    const float term = a[n * D + d] * (b[n * D + d] + weight) - lost, next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  for (ushort distance = 16; distance > 0; distance /= 2) sum += simd_shuffle_xor(sum, distance);
  if (lane == 0) y[n] = sum;
}
"""
DECAYING = """kernel void mine(device const float* v [[buffer(0)]], device float* y [[buffer(1)]], constant uint& T [[buffer(2)]],
                 constant uint& D [[buffer(3)]], uint2 at [[thread_position_in_grid]]) {
  const uint t = at.y, d = at.x;
  float sum = 0, weights = 0;
  for (uint s = 0; s <= t; ++s) {
    const float weight = exp(-20 * fabs(float(t) - float(s)));
    sum += weight * (1 + v[s * D + d]);
    weights += weight;
  }
  y[t * D + d] = sum / weights;
}
"""

BY_THREAD, BY_GROUP = (["N"], [32]), (["32 * N"], [32])
MADE = {
    "two passes": (ramp, shader("ramp", RAMP, ["x", "output0"], *BY_THREAD, ["D"])),
    "online by lanes": (ramp, shader("ramp", ONLINE, ["x", "output0"], *BY_GROUP, ["D"])),
    "a tree": (ramp, shader("ramp", TREE, ["x", "output0"], ["64 * N"], [64], ["D"])),
    "two sums": (tail, shader("tail", TAIL, ["a", "b", "c", "output0"], *BY_THREAD, ["D"])),
    "Kahan by lanes": (tail, shader("tail", TAIL_BY_LANES, ["a", "b", "c", "output0"], *BY_GROUP, ["D"])),
    "attention": (decaying, shader("decaying", DECAYING, ["v", "output0"], ["D", "T"], [1, 1], ["T", "D"])),
}

FAULTS = {  # each in a shader of MADE: what stands there, and what instead
    "the first term is left out": ("two passes", ("d = 0; d < D; ++d) sum", "d = D > 1; d < D; ++d) sum")),
    "a lane without its terms": (
        "online by lanes",
        ("largest == -INFINITY ?", "largest == -INFINITY || (lane == 0 && D > 1 && D < 33) ?"),
    ),
    "a half of the tree is lost": ("a tree", ("b.y + a.y * exp(a.x - b.x)", "b.y + (half_of == 1 ? 0 : a.y * exp(a.x - b.x))")),
    "a sign": ("two sums", ("sum + exp", "sum - exp")),
    "the small part is left out": ("two sums", ("* others;", "* 0 * others;")),
    "a square is forgotten": ("two sums", ("-20 - c[n] * c[n]", "-20 - fabs(c[n])")),
    "b for a": ("two sums", ("others += a[", "others += b[")),
    "the last term of the small sum": ("two sums", ("d < D; ++d) others", "d + 1 < D; ++d) others")),
    "the weight of another row": ("Kahan by lanes", ("c[n] * c[n]", "c[n] * c[0]")),
    "a lane without the small part": ("Kahan by lanes", ("+ weight)", "+ (lane == 1 ? 0 : weight))")),
    "the mask lets the next position in": ("attention", ("s <= t; ++s", "s <= min(t + 1, T - 1); ++s")),
    "the mask leaves a position out": ("attention", ("uint s = 0;", "uint s = (t > 1);")),
    "a weight without its norm": ("attention", ("weights += weight;", "weights += s == t ? weight : 0;")),
    "a row of another position": ("attention", ("v[s * D + d]", "v[(s + 1 == t ? t : s) * D + d]")),
}
