"""Forms that apps' shaders have and kernels of machine learning have not; each with a fault that the checks see in it."""

import warnings

import numpy as np
import pytest

from assay import metal
from test_metal_apps_commands import HEADER, lint


def compiled(text, **options):
    return metal.compile(HEADER + text, **options)


def found(call, check, line):
    """The report of this check, at this line below the header, that `call` has to raise."""
    with pytest.raises(metal.CheckError) as caught:
        call()
    reports = [one for one in caught.value.reports if (one.check, one.event.line) == (check, line + 2)]
    assert reports, str(caught.value)
    return reports[0]


def test_headers_that_host_and_shader_share():
    library = metal.compile("""#include <simd/simd.h>
#include <TargetConditionals.h>
#if !TARGET_OS_MAC || TARGET_OS_IPHONE
#error "target"
#endif
typedef struct { vector_float3 position; simd_float4x4 turn; simd_uint2 size; matrix_float2x2 m; } Uniforms;
static_assert(sizeof(Uniforms) == 16 + 64 + 8 + 16 + 8, "laid out as on the host");
kernel void f(device float4* out, constant Uniforms& u, uint i [[thread_position_in_grid]]) {
  const simd::float4 p = simd_mul(u.turn, simd::float4(u.position, 1));
  out[i] = metal::abs(p) + simd_dot(u.position, u.position) + float(u.size.y) + matrix_multiply(u.m, float2(1, 2)).xyxy;
}
""")
    u = np.zeros(28, np.float32)
    u[:3], u[4:20], u[20:22].view(np.uint32)[:], u[22:26] = (1, -2, 3), np.eye(4).ravel(), (7, 5), (1, 0, 0, 1)
    out = library.f(metal.unset((1, 4), "float32"), u, grid=1)
    assert out.tolist() == [[1 + 14 + 5 + 1, 2 + 14 + 5 + 2, 3 + 14 + 5 + 1, 1 + 14 + 5 + 2]]
    found(lambda: library.f(metal.unset((1, 4), "float32"), u, grid=2), "memcheck", 8)


RENDERED = """
struct Varying { float4 position [[position]]; float2 uv; };
float3 shade(float2 uv) { return float3(dfdx(uv.x), fwidth(uv.y), 0); }
float squared(float x) { return x * x; }
vertex Varying vertex_main(uint n [[vertex_id]], constant float4* points [[buffer(0)]]) { return {points[n], squared(2)}; }
fragment float4 fragment_main(Varying in [[stage_in]], texturecube<float> sky [[texture(0)]]) {
  if (in.uv.x < 0) discard_fragment();
  return float4(shade(in.uv), squared(1)) + sky.sample(sampler(), float3(1));
}
[[vertex]] Varying other(uint n [[vertex_id]]) { return {float4(n), float2(0)}; }
[[kernel]] void f(device const float* x, device float* y, uint i [[thread_position_in_grid]]) {
  y[i] = squared(x[i + 1]);
}
"""


def test_render_functions_are_left_out():
    library = compiled(RENDERED)
    assert library.function_names == ["f"]
    x = np.arange(5, dtype=np.float32)
    assert library.f(x, metal.unset(4, "float32"), grid=4).tolist() == [1, 4, 9, 16]
    found(lambda: library.f(x, metal.unset(5, "float32"), grid=5), "memcheck", 12)


def test_a_kernel_that_calls_what_fragments_call_is_refused():
    with pytest.raises(metal.CompileError, match="source.metal:3:.*undeclared identifier 'dfdx'"):
        compiled("kernel void f(device float* x) { x[0] = dfdx(x[1]); }")


def test_structs_of_buffers_are_arguments():
    library = compiled("""struct Both { device float* out [[buffer(2)]]; device const float* in [[buffer(0)]]; };
struct Where { uint i [[thread_position_in_grid]]; };
kernel void f(Both b, constant uint& n [[buffer(1)]], Where w) {
  if (w.i < n)
    b.out[w.i] = 2 * b.in[w.i];
}
""")
    assert [(one.name, one.index) for one in library.f.buffers] == [("in", 0), ("n", 1), ("out", 2)]
    x = np.arange(4, dtype=np.float32)
    assert library.f(x, 4, metal.unset(4, "float32"), grid=4).tolist() == [0, 2, 4, 6]
    report = found(lambda: library.f(x, 5, metal.unset(5, "float32"), grid=5), "memcheck", 5)
    assert "buffer(0)" in report.address


def test_indices_are_computed():
    library = compiled("""enum Index { first, second = 4, third };
enum class Slot : uint { out = 1 + 1 };
constexpr constant int base = 2;
#define LAST (third + base)
kernel void f(device float* a [[buffer(first)]], device float* b [[buffer(third)]], device float* c [[buffer(LAST)]],
              device float* d [[buffer(static_cast<uint>(Slot::out))]], device float* e [[buffer(1 << 3 | 1)]]) {
  a[0] = 1, b[0] = 2, c[0] = 3, d[0] = 4, e[0] = 5;
}
""")
    assert [(one.name, one.index) for one in library.f.buffers] == [("a", 0), ("d", 2), ("b", 5), ("c", 7), ("e", 9)]
    with pytest.raises(metal.CompileError, match="has index 'unknown': expected a constant from 0 to 30"):
        compiled("kernel void f(device float* a [[buffer(unknown)]]) {}")


def test_numbers_are_packed_as_pixels_are():
    library = compiled("""kernel void f(device uint* out, device float4* back) {
  out[0] = pack_float_to_unorm4x8(float4(0, 0.5, 1, 2));
  out[1] = pack_float_to_snorm4x8(float4(-1, 1, 0, NAN));
  out[2] = pack_float_to_unorm2x16(float2(1, 0.25));
  out[3] = pack_half_to_unorm10a2(half4(1, 0, 0.5h, 1));
  out[4] = pack_float_to_unorm565(float3(1, 0, 1));
  out[5] = pack_float_to_srgb_unorm4x8(float4(0.5, 0, 1, 0.5));
  back[0] = unpack_unorm4x8_to_float(out[0]);
  back[1] = unpack_snorm4x8_to_float(0x7f8180ffu);
  back[2] = float4(unpack_unorm565_to_float(0xf81f), 0);
  back[3] = unpack_unorm4x8_srgb_to_float(out[5]);
  float4 whole;
  back[4] = modf(float4(1.5, -2.25, 3, 0.75), whole) + 10 * whole;
}
""")
    out, back = library.f(metal.unset(6, "uint32"), metal.unset((5, 4), "float32"), grid=1)
    assert [hex(one) for one in out] == ["0xffff8000", "0x7f81", "0x4000ffff", "0xe00003ff", "0xf81f", "0x80ff00bc"]
    assert np.allclose(back[0], [0, 128 / 255, 1, 1], atol=0) and back[1].tolist() == [np.float32(-1 / 127), -1, -1, 1]
    assert back[2].tolist() == [1, 0, 1, 0] and np.allclose(back[3], [0.5, 0, 1, 128 / 255], atol=4e-3)
    assert back[4].tolist() == [10.5, -20.25, 30, 0.75]


def test_matrices_are_made_of_lists():
    library = compiled("""kernel void f(device float3* out) {
  const float3x3 m = float3x3({1, 2, 3}, {4, 5, 6}, {7, 8, 9});
  out[0] = m * float3(1, 10, 100);
  const half2x2 h = {{1, 2}, half2(3, 4)};
  out[1] = float3(h[1].x, h[0].y, 0);
}
""")
    out = library.f(metal.unset((2, 4), "float32"), grid=1)
    assert out[:, :3].tolist() == [[741, 852, 963], [3, 2, 0]]


TEXTURES = """
kernel void cube(texturecube<float> sky [[texture(0)]], device float* out, device const float3* at,
                 uint i [[thread_position_in_grid]]) {
  out[i] = sky.sample(sampler(filter::nearest), at[i]).x;
}
kernel void stacked(array<texture2d<float, access::read>, 3> all [[texture(1)]], device float* out, constant uint& n) {
  for (uint t = 0; t < n; ++t) out[t] = all[t].read(uint2(1, 0)).x;
}
kernel void count(texture2d<uint, access::read_write> bins [[texture(0)]], uint i [[thread_position_in_grid]]) {
  bins.atomic_fetch_add(uint2(i % 3, 0), 1);
}
kernel void lost(texture2d<uint, access::read_write> bins [[texture(0)]], uint i [[thread_position_in_grid]]) {
  bins.write(bins.read(uint2(i % 3, 0)) + 1, uint2(i % 3, 0));
}
kernel void layered(depth2d_array<float> depth [[texture(0)]], device float* out, uint i [[thread_position_in_grid]]) {
  out[i] = depth.read(uint2(0, 0), i);
}
"""


def test_textures_of_apps():
    library = compiled(TEXTURES)
    faces = np.repeat(np.arange(6, dtype=np.float32), 4).reshape(6, 2, 2)
    at = np.array([[2, 1, 1, 0], [-2, 1, 1, 0], [0, 3, 1, 0], [0, -3, 1, 0], [1, 1, 4, 0], [1, 1, -4, 0]], np.float32)
    assert library.cube(metal.unset(6, "float32"), at, faces, grid=6).tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="six faces"):
        library.cube(metal.unset(6, "float32"), at, faces[:5], grid=6)
    images = [np.full((1, 2), 10.0 * n, np.float32) for n in range(3)]
    assert library.stacked(metal.unset(3, "float32"), 3, *images, grid=1).tolist() == [0, 10, 20]
    found(lambda: library.stacked(metal.unset(4, "float32"), 3, images[0], images[1], images[2][:, :1], grid=1), "memcheck", 7)
    bins = np.zeros((1, 3), np.uint32)
    library.count(bins, grid=64, group=32)
    assert bins.tolist() == [[22, 21, 21]]
    found(lambda: library.lost(np.zeros((1, 3), np.uint32), grid=64, group=32), "racecheck", 13)
    depth = np.arange(3, dtype=np.float32).reshape(3, 1, 1)
    assert library.layered(metal.unset(3, "float32"), depth, grid=3).tolist() == [0, 1, 2]
    found(lambda: library.layered(metal.unset(4, "float32"), depth, grid=4), "memcheck", 16)


OVERLOADS = """
struct Field {
  uint v[2];
  uint sum() const thread { return v[0] + v[1]; }
  uint sum() const device { const Field mine = *this; return 10 * mine.sum(); }
};
float load(device const float* p) { return *p; }
float load(thread const float* p) { return 2 * *p; }
float load(threadgroup const float* p);
float load(threadgroup const float* other) { return 3 * *other; }
float first(thread const float a[2]) { return a[0]; }
float first(device const float* b) { const float mine[2] = {*b + 5, 0}; return first(mine); }
template <typename T> T twice(thread const T& x) { return x + x; }
template <typename T> T twice(device const T& x) { thread const T mine = x; return 100 * twice(mine); }
kernel void f(device const float* in, device float* out, device const Field* fields, uint t [[thread_position_in_grid]]) {
  threadgroup float shared[64];
  const float own = in[t];
  shared[t] = own;
#ifndef RACE
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  out[t] = load(in + t) + load(&own) + load(shared + (t ^ 32)) + fields[0].sum() + twice(in[t]) + twice(own)
         + first(in + t);
}
"""


def test_functions_that_differ_in_address_spaces_and_in_more():
    x, fields = np.arange(64, dtype=np.float32), np.array([3, 4], np.uint32)
    out = compiled(OVERLOADS).f(x, metal.unset(64, "float32"), fields, grid=64, group=64)
    assert out.tolist() == (x + 2 * x + 3 * x[np.arange(64) ^ 32] + 70 + 200 * x + 2 * x + x + 5).tolist()
    racy = compiled(OVERLOADS, macros={"RACE": 1})
    report = found(lambda: racy.f(x, metal.unset(64, "float32"), fields, grid=64, group=64), "racecheck", 10)
    assert "shared" in report.address


def test_a_call_in_several_address_spaces_is_refused():
    text = """float load(device const float* p) { return *p; }
float load(threadgroup const float* p) { return 3 * *p; }
template <typename P> float any(P p) { return load(p); }
kernel void f(device float* x) { threadgroup float y[4]; y[0] = 1; x[0] = any(x) + any(y); }
"""
    with pytest.raises(metal.CompileError, match="source.metal:5:47: error: 'load' is called in several address spaces"):
        compiled(text).f(np.zeros(4, np.float32), grid=1)


def test_kernels_that_cannot_run_here_do_not_keep_others_from_it():
    text = """using namespace raytracing;
kernel void traced(instance_acceleration_structure scene [[buffer(0)]], device float* x [[buffer(1)]]) {}
float lit(instance_acceleration_structure scene) { intersector<> i; return 0; }
kernel void f(device float* x, uint i [[thread_position_in_grid]]) { x[i] = 7; }
"""
    with pytest.raises(metal.CompileError, match="instance_acceleration_structure, which is not supported"):
        compiled("#include <metal_raytracing>\n" + text)
    library = compiled("#include <metal_raytracing>\n" + text.replace("kernel void traced", "[[visible]] void traced"))
    x = np.zeros(3, np.float32)
    library.f(x, grid=3)
    assert x.tolist() == [7, 7, 7]


ABSENT = """
constant bool has_bias [[function_constant(0)]];
struct One { static float run(float x) { return x; } };
struct Two { static float run(float x) { return has_bias ? x : -x; } };
kernel void add(device const float* x, device const float* bias [[buffer(1), function_constant(has_bias)]],
                device float* out [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  out[i] = has_bias ? x[i] + bias[i] : x[i];
}
kernel void plain(device float* x) { x[0] = One::run(2); }
kernel void other(device float* x) { Two two; x[0] = two.run(2); }
"""


def test_arguments_that_function_constants_take_away():
    library = compiled(ABSENT)
    x = np.arange(3, dtype=np.float32)
    out = metal.unset(3, "float32")
    assert library.add(x, None, out, grid=3, constants={"has_bias": False}).tolist() == [0, 1, 2]
    assert library.add(x, x, out, grid=3, constants={"has_bias": True}).tolist() == [0, 2, 4]
    with pytest.raises(ValueError, match="bias"):
        library.add(x, None, out, grid=3, constants={"has_bias": True})
    one = np.zeros(1, np.float32)
    library.plain(one, grid=1)  # needs no constant: another struct's `run` does
    assert one[0] == 2
    with pytest.raises(ValueError, match="has_bias|no value"):
        library.other(one, grid=1)


def test_outputs_that_no_thread_wrote_are_named():
    library = compiled("kernel void f(device float* out, uint i [[thread_position_in_grid]]) { out[i] = 1; }")
    with pytest.warns(metal.MetalWarning, match="32 of 96 elements of `out` were never written, the first is 64"):
        library.f(metal.unset(96, "float32"), grid=64, group=32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        library.f(metal.unset(64, "float32"), grid=64, group=32)
        padded = compiled("kernel void f(device float3* out, uint i [[thread_position_in_grid]]) { out[i] = 1; }")
        padded.f(metal.unset((2, 4), "float32"), grid=2)
        library.f(np.zeros(96, np.float32), grid=64, group=32)


def test_headers_are_found_in_folders_that_one_names(tmp_path):
    (tmp_path / "size.h").write_text("#define SIZE 3\n")
    text = '#include "size.h"\nkernel void f(device int* x) { x[0] = SIZE; }\n'
    with pytest.raises(metal.CompileError, match="size.h"):
        metal.compile(text)
    x = np.zeros(1, np.int32)
    metal.compile(text, include_folders=[tmp_path]).f(x, grid=1)
    assert x[0] == 3
    with pytest.raises(ValueError, match="expected a folder"):
        metal.compile(text, include_folders=[tmp_path / "none"])
    with pytest.raises(TypeError, match="expected a list"):
        metal.compile(text, include_folders=str(tmp_path))


MEMBERS = """
struct Palette { int size; float shades[4]; };
kernel void of_struct(device float* y, uint i [[thread_position_in_grid]]) {
  Palette p = {4, {1, 2, 3, 4}};
  y[i] = p.shades[i];
}
kernel void of_library(device float* y, uint i [[thread_position_in_grid]]) {
  array<float, 4> a = {1, 2, 3, 4};
  y[i] = a[i];
}
"""


def test_an_index_beyond_an_array_that_ends_a_struct():
    library = compiled(MEMBERS)
    for kernel in (library.of_struct, library.of_library):
        assert kernel(metal.unset(4, "float32"), grid=4).tolist() == [1, 2, 3, 4]
    found(lambda: library.of_struct(metal.unset(5, "float32"), grid=5), "memcheck", 5)
    found(lambda: library.of_library(metal.unset(5, "float32"), grid=5), "memcheck", 9)


def test_an_enum_that_names_its_type_as_nextstep_does():
    library = compiled("""
#define NS_ENUM(_type, _name) enum _name : _type _name; enum _name : _type
typedef metal::int32_t EnumBackingType;
typedef NS_ENUM(EnumBackingType, BufferIndex) { In = 0, Out = 1 };
kernel void f(device const float* x [[buffer(In)]], device float* y [[buffer(Out)]], uint i [[thread_position_in_grid]]) {
  y[i] = 2 * x[i];
}
""")
    x = np.arange(4, dtype=np.float32)
    assert library.f(x, metal.unset(4, "float32"), grid=4).tolist() == [0, 2, 4, 6]
    found(lambda: library.f(x, metal.unset(5, "float32"), grid=5), "memcheck", 6)


PROGRAM_SCOPE = """
uint3 threadIdx [[thread_position_in_threadgroup]];
ushort at [[thread_position_in_grid]];
uint lane [[thread_index_in_simdgroup]];
float taken(device const float* x) { return x[at] + (lane == 0 ? 100 : 0); }
kernel void f(device const float* x, device float* y) {
  threadgroup float s[32];
  s[threadIdx.x] = taken(x);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[at] = s[31 - threadIdx.x];
}
kernel void own(device float* y, uint3 at [[thread_position_in_grid]]) {
  uint lane = 7;
  y[at.x] = lane + threadIdx.x;
}
"""


def test_positions_at_program_scope(tmp_path):
    library, x = compiled(PROGRAM_SCOPE), np.arange(64, dtype=np.float32)
    expected = x.reshape(2, 32)[:, ::-1].copy()
    expected[:, 31] += 100
    assert np.array_equal(library.f(x, metal.unset((2, 32), "float32"), grid=64, group=32), expected)
    assert library.own(metal.unset(4, "float32"), grid=4, group=2).tolist() == [7, 8, 7, 8]
    found(lambda: library.f(x[:32], metal.unset(64, "float32"), grid=64, group=32), "memcheck", 5)
    race = compiled(PROGRAM_SCOPE.replace("  threadgroup_barrier(mem_flags::mem_threadgroup);", ""))
    found(lambda: race.f(x, metal.unset(64, "float32"), grid=64, group=32), "racecheck", 8)
    assert lint(tmp_path, PROGRAM_SCOPE)[0] == 0
