#!/usr/bin/env python3
"""Features of the Metal Shading Language, each in a few lines with a known answer: probes.py [NAME...]

The answers are those of the specification's section that the probe names. `apple` says where a public log of Apple's
compiler shows that it takes, or refuses, such text. Needs the package `assay` on the path.
"""

import pathlib
import sys
import tempfile

import numpy as np

import assay
from assay._program import run_program

PROBES = {}


def probe(name, section, text, expected, helpers="", apple=""):
    """A kernel that writes `expected` to out[0], out[1], ...; None: it has to be refused."""
    PROBES[name] = (section, text, expected, helpers, apple)


probe(
    "scalars", "2.1", "out[0] = sizeof(half); out[1] = sizeof(long); out[2] = sizeof(bool); out[3] = char(200);", [2, 8, 1, -56]
)
probe("half_literal", "2.1", "out[0] = 0.1h * 3; out[1] = sizeof(1.0h);", [0.2998046875, 2])
probe("float_literal", "2.1", "out[0] = sizeof(1.0); out[1] = 1e-3 + 1;", [4, np.float32(1.001)])
probe("bfloat", "2.1", "bfloat b = 1.00390625bf; out[0] = float(b); out[1] = sizeof(b);", [1, 2])
probe("no_double", "2.1", "double d = 1; out[0] = d;", None)
probe("vectors", "2.2", "float4 v(1, float2(2, 3), 4); out[0] = v.z; out[1] = v[3]; out[2] = sizeof(float3);", [3, 4, 16])
probe("swizzle_write", "2.2", "float4 v(0); v.xz = float2(5, 6); v.wy = v.zx; out[0] = v.w; out[1] = v.y;", [6, 5])
probe("colour_names", "2.2", "half4 c(1, 2, 3, 4); out[0] = c.bgra.x; out[1] = c.rg.y;", [3, 2])
probe("vector_of_list", "2.2", "float3 v = {1, 2, 3}; int2 w{4, 5}; out[0] = v.y; out[1] = w.y;", [2, 5])
probe("packed", "2.2.3", "packed_float3 p = packed_float3(1, 2, 3); out[0] = sizeof(p); out[1] = float3(p).z + p[1];", [12, 5])
probe("vector_compare", "3.1", "out[0] = all(int3(1, 2, 3) == int3(1, 2, 3)); out[1] = any(float2(1, 2) > 2);", [1, 0])
probe("ternary_vector", "3.1", "out[0] = select(float2(1, 2), float2(3, 4), bool2(true, false)).x;", [3])
probe("matrix_columns", "2.3", "float2x3 m(float3(1, 2, 3), float3(4, 5, 6)); out[0] = m[1][2]; out[1] = m.columns[0].y;", [6, 2])
probe(
    "matrix_product",
    "2.3.2",
    "float2x2 m(1, 2, 3, 4); float2 v = m * float2(1, 10); out[0] = v.x; out[1] = (float2(1, 10) * m).x;",
    [31, 21],
)
probe("matrix_lists", "2.3.1", "half3x3 m = half3x3({1, 2, 3}, {4, 5, 6}, {7, 8, 9}); out[0] = m[2].x;", [7])
probe(
    "matrix_functions",
    "6.8",
    "out[0] = determinant(float2x2(1, 2, 3, 4)); out[1] = transpose(float2x3(1, 2, 3, 4, 5, 6))[2].y;",
    [-2, 6],
)
probe("as_type", "2.21", "out[0] = as_type<uint>(1.0f) == 0x3f800000; out[1] = as_type<half2>(0x40003c00u).y;", [1, 2])
probe(
    "atomics",
    "2.6",
    "device atomic_uint* a = (device atomic_uint*)u; atomic_fetch_add_explicit(a, 5u, memory_order_relaxed);"
    " out[0] = atomic_load_explicit(a, memory_order_relaxed);",
    [5],
)
probe(
    "atomic_float",
    "2.6",
    "device atomic_float* a = (device atomic_float*)u; atomic_fetch_add_explicit(a, 0.5f, memory_order_relaxed);"
    " out[0] = atomic_load_explicit(a, memory_order_relaxed);",
    [0.5],
)
probe(
    "compare_exchange",
    "6.15",
    "device atomic_int* a = (device atomic_int*)u; int e = 0;"
    " out[0] = atomic_compare_exchange_weak_explicit(a, &e, 7, memory_order_relaxed, memory_order_relaxed); out[1] = u[0];",
    [1, 7],
)
probe("array", "2.13", "array<float, 3> a = {{1, 2, 3}}; out[0] = a.size(); out[1] = a[2];", [3, 3])
probe("enum_class", "1.5", "Kind k = Kind::second; out[0] = int(k);", [3], "enum class Kind : uchar { first = 2, second };")
probe("namespaces", "1.5", "out[0] = a::b::three();", [3], "namespace a { namespace b { inline int three() { return 3; } } }")
probe(
    "templates",
    "1.5",
    "out[0] = twice<half>(1.5h); out[1] = sizeof(twice(1));",
    [3, 4],
    "template <typename T> T twice(T x) { return x + x; }",
)
probe(
    "if_constexpr",
    "1.5",
    "out[0] = kind(1.0f); out[1] = kind(1);",
    [1, 2],
    "template <typename T> int kind(T) { if constexpr (is_same_v<T, float>) return 1; else return 2; }",
)
probe("lambda", "1.5.4", "auto f = [](float x) { return 2 * x; }; out[0] = f(4);", [8])
probe(
    "operators",
    "1.5",
    "Pair p = Pair{1, 2} + Pair{3, 4}; out[0] = p.b;",
    [6],
    "struct Pair { float a, b; Pair operator+(Pair o) const { return {a + o.a, b + o.b}; } };",
)
probe("delete", "1.5.4", "device int* x = (device int*)u; delete x; out[0] = 1;", None)
probe(
    "constant_table",
    "4.2",
    "out[0] = table[2]; out[1] = sizeof(table) / sizeof(table[0]);",
    [30, 3],
    "constant float table[] = {10, 20, 30};",
)
probe(
    "threadgroup_variable",
    "4.4",
    "threadgroup float t[4]; t[i] = 3; threadgroup_barrier(mem_flags::mem_threadgroup); out[0] = t[0];",
    [3],
)
probe("barrier_of_metal_1", "6.9.1", "threadgroup_barrier(mem_flags::mem_device_and_threadgroup); out[0] = 1;", [1])
probe("reference", "4", "thread float& r = out_of(); out[0] = r;", None, "thread float& out_of() { float x = 1; return x + 1; }")
probe(
    "address_overloads",
    "4",
    "float x = 1; out[1] = 2; out[0] = where(&x) + where(out + 1);",
    [12, 2],
    "float where(thread float* p) { return 10 * *p; } float where(device float* p) { return *p; }",
)
probe("program_variable", "4.2", "count += 1; out[0] = count;", None, "int count = 0;")
probe(
    "clamp_saturate",
    "6.4",
    "out[0] = clamp(5.0f, 1.0f, 3.0f); out[1] = saturate(-1.0h); out[2] = mix(1.0f, 3.0f, 0.25f);",
    [3, 0, 1.5],
)
probe(
    "smoothstep_step",
    "6.4",
    "out[0] = smoothstep(0.0f, 2.0f, 1.0f); out[1] = step(2.0f, 2.0f); out[2] = sign(-3.0f);",
    [0.5, 1, -1],
)
probe(
    "relational",
    "6.5",
    "out[0] = isnan(NAN); out[1] = isinf(-INFINITY); out[2] = signbit(-0.0f); out[3] = isfinite(float3(1, INFINITY, 2)).y;",
    [1, 1, 1, 0],
)
probe(
    "integer",
    "6.6",
    "out[0] = popcount(0xf0u); out[1] = clz(1u); out[2] = ctz(8u); out[3] = reverse_bits(1u) == 0x80000000u;",
    [4, 31, 3, 1],
)
probe(
    "integer_saturated",
    "6.6",
    "out[0] = addsat(uchar(200), uchar(100)); out[1] = subsat(3u, 5u); out[2] = mulhi(0x80000000u, 4u);",
    [255, 0, 2],
)
probe(
    "integer_bits",
    "6.6",
    "out[0] = extract_bits(0xabcdu, 4, 8); out[1] = insert_bits(0u, 5u, 4, 3); out[2] = rotate(1u, 33u);",
    [188, 80, 2],
)
probe(
    "integer_mad",
    "6.6",
    "out[0] = mad24(3, 4, 5); out[1] = absdiff(3, -4); out[2] = hadd(3u, 4u); out[3] = rhadd(3u, 4u);",
    [17, 7, 3, 4],
)
probe(
    "maths",
    "6.7",
    "out[0] = exp2(3.0f); out[1] = powr(2.0f, 10.0f); out[2] = fmod(7.0f, 4.0f); out[3] = copysign(2.0f, -0.0f);",
    [8, 1024, 3, -2],
)
probe(
    "maths_of_pi", "6.7", "out[0] = sinpi(0.5f); out[1] = cospi(1.0f); out[2] = rint(2.5f); out[3] = round(2.5f);", [1, -1, 2, 3]
)
probe(
    "modf_frexp",
    "6.7",
    "float w; int e; out[0] = modf(-2.75f, w); out[1] = w; out[2] = frexp(12.0f, e); out[3] = e;",
    [-0.75, -2, 0.75, 4],
)
probe("modf_vector", "6.7", "float2 w; float2 r = modf(float2(1.5, -2.25), w); out[0] = r.y; out[1] = w.x;", [-0.25, 1])
probe("median", "6.4", "out[0] = median3(3.0f, 1.0f, 2.0f); out[1] = min3(3, 1, 2); out[2] = fmax3(1.0f, NAN, 2.0f);", [2, 1, 2])
probe("fast_precise", "6.7", "out[0] = fast::sqrt(4.0f); out[1] = precise::divide(1.0f, 4.0f);", [2, 0.25])
probe(
    "geometric",
    "6.8",
    "out[0] = dot(float3(1, 2, 3), 1); out[1] = cross(float3(1, 0, 0), float3(0, 1, 0)).z; out[2] = length(float2(3, 4));",
    [6, 1, 5],
)
probe(
    "reflect", "6.8", "float2 r = reflect(float2(1, -1), float2(0, 1)); out[0] = r.y; out[1] = normalize(float2(0, 5)).y;", [1, 1]
)
probe("simd_sum", "6.9.2", "out[i] = simd_sum(i) ;", [496] * 4)
probe("simd_shuffle", "6.9.2", "out[i] = simd_shuffle_xor(i, 3u) ;", [3, 2, 1, 0])
probe("simd_prefix", "6.9.2", "out[i] = simd_prefix_exclusive_sum(1.0f);", [0, 1, 2, 3])
probe("simd_vote", "6.9.2", "out[i] = ulong(simd_ballot(i < 3)) == 7 && simd_any(i == 31) && !simd_all(i < 31);", [1] * 4)
probe("quad", "6.9.3", "out[i] = quad_broadcast(i, ushort(2));", [2] * 4)
probe(
    "pack",
    "6.14",
    "out[0] = pack_float_to_unorm4x8(float4(0, 1, 0, 0)); out[1] = unpack_snorm2x16_to_float(0x7fffu).x;",
    [65280, 1],
)
probe("pack_half", "6.14", "out[0] = unpack_unorm4x8_to_half(0xffu).x; out[1] = pack_half_to_unorm2x16(half2(1, 0));", [1, 65535])
probe(
    "limits",
    "6.2",
    "out[0] = numeric_limits<half>::max(); out[1] = numeric_limits<int>::digits; out[2] = FLT_MAX == MAXFLOAT;",
    [65504, 31, 1],
)
probe(
    "constants_of_maths",
    "6.7",
    "out[0] = M_PI_F; out[1] = M_PI_H; out[2] = M_SQRT2_F;",
    [np.float32(np.pi), np.float16(np.pi), np.float32(2**0.5)],
)
probe("macros", "1.5", "out[0] = __METAL_VERSION__ >= 300; out[1] = __METAL__;", [1, 1])
probe("positions", "5.2.3.6", "out[i] = i + 100 * size + 10000 * width;", [323200 + n for n in range(4)])
probe(
    "threadgroup_of_struct",
    "4.4",
    "threadgroup Pair p; if (i == 0) p.b = 4; threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = p.b;",
    [4] * 4,
    "struct Pair { float a, b; };",
)
probe("static_assert", "1.5", 'static_assert(sizeof(float4) == 16, "size"); out[0] = 1;', [1])
probe(
    "type_traits",
    "2.20",
    "out[0] = is_floating_point<half>::value; out[1] = is_same<uint, unsigned>::value; out[2] = is_integral_v<float>;",
    [1, 1, 0],
)
probe("uniform", "2.19", "uniform<int> n = make_uniform(3); out[0] = n;", [3])
probe("nextafter", "6.7", "out[0] = nextafter(1.0f, 2.0f) > 1.0f; out[1] = ldexp(1.5f, 3); out[2] = ilogb(8.0f);", [1, 12, 3])
probe("fma", "6.7", "out[0] = fma(2.0f, 3.0f, 4.0f); out[1] = fma(half2(2), half2(3), half2(4)).y;", [10, 10])
probe("shifts", "3.1", "out[0] = int2(-8, 8) .x >> 1; out[1] = (uint2(1) << 4u).y; out[2] = ~0u >> 31;", [-4, 16, 1])
probe("goto", "1.5.4", "goto end; end: out[0] = 1;", None)
probe("new", "1.5.4", "thread float* p = new float; out[0] = *p;", None)
probe("virtual", "1.5.4", "out[0] = 1;", None, "struct V { virtual int f() { return 1; } };")

probe(
    "geometric_packed",
    "2.2.3",
    "packed_float3 p(3, 0, 4), q(0, 1, 0); out[0] = length(p) + dot(p, q); out[1] = cross(p, q).z;"
    " out[2] = distance(float3(q), p);",
    [5, 3, np.float32(26**0.5)],
)

HEADER = """#include <metal_stdlib>
using namespace metal;
{helpers}
kernel void probe(device float* out [[buffer(0)]], device uint* u [[buffer(1)]], uint i [[thread_index_in_threadgroup]],
                  uint size [[threads_per_grid]], uint width [[threads_per_simdgroup]]) {{
{text}
}}
"""


def answer_of(text, helpers, threads, length):
    """What the probe writes; nothing if it is refused, and why."""
    source = HEADER.format(text=text, helpers=helpers)
    try:
        out = np.full(length, -99, np.float32)
        assay.metal.compile(source).probe(out, np.zeros(4, np.uint32), grid=threads, group=threads)
        return out, ""
    except (assay.metal.MetalError, ValueError) as error:
        return None, str(error)


def is_refused_by_lint(text, helpers):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "probe.metal").write_text(HEADER.format(text=text, helpers=helpers))
        return run_program("metal", "lint", "probe.metal", folder=folder).returncode == 1


def outcome_of(name):
    """An empty text if the probe is right."""
    _, text, expected, helpers, _ = PROBES[name]
    all_lanes = "out[i]" in text
    length = 32 if all_lanes else len(expected or [0])
    out, why = answer_of(text, helpers, 32 if all_lanes else 1, length)
    if expected is None:
        return "" if out is None or is_refused_by_lint(text, helpers) else f"is taken: {out.tolist()}"
    if out is None:
        return why.splitlines()[0]
    got = out[: len(expected)].tolist()
    return "" if got == [float(one) for one in expected] else f"{got}: expected {expected}"


def main(names):
    wrong = 0
    for name in names or PROBES:
        what = outcome_of(name)
        wrong += bool(what)
        print(f"{name} ({PROBES[name][0]}): {what or 'right'}", flush=True)
    print(f"{len(names or PROBES) - wrong} of {len(names or PROBES)} right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
