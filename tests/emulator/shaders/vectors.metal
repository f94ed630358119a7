// Vectors: each line of `check` is one claim; out[n] = 1 where claim n holds.
#include <metal_stdlib>
using namespace metal;

struct Checks {
  device int* out;
  int count;
  void check(bool holds) thread { out[count++] = holds ? 1 : 2; }
};

template <typename T, int N>
T first_of(vec<T, N> v) { return v[0]; }

kernel void vectors(device int* out, device packed_float3* packed, device float3* aligned) {
  Checks c{out, 0};
  float4 v(1.0, 2, 3, 4);
  c.check(v.x == 1 && v.g == 2 && v[2] == 3 && v.a == 4);
  c.check(all(v.wzyx == float4(4, 3, 2, 1)) && all(v.rrbb == float4(1, 1, 3, 3)));
  v.xz = v.zx;
  c.check(all(v == float4(3, 2, 1, 4)));
  v.rgb *= 2.0;
  c.check(all(v == float4(6, 4, 2, 4)));
  v.yw += float2(1, 2);
  c.check(all(v == float4(6, 5, 2, 6)));
  c.check(all(float4(float2(1, 2), float2(3, 4)) == float4(1, float3(2, 3, 4))));
  c.check(all(float3(7) == float3(7, 7, 7)) && all(float4{1, 2} == float4(1, 2, 0, 0)));
  c.check(all(int3(float3(1.9, -1.9, 2.5)) == int3(1, -1, 2)) && all(uint2(int2(-1, 1)) == uint2(0xffffffffu, 1)));
  c.check(first_of(half3(2, 3, 4)) == 2.0h && first_of(v.zw) == 2);
  c.check(all((int4(5, 6, 7, 8) % 3 << 1) == int4(4, 0, 2, 4)) && all((int2(6, 3) & 2) == int2(2, 2)));
  c.check(all(-float2(1, 2) + 1 == float2(0, -1)) && all(1 - float2(1, 2) == float2(0, -1)) && all(2.0 / float2(1, 2) == float2(2, 1)));
  c.check(any(float2(1, 2) > 1.5) && !all(float2(1, 2) > 1.5) && all(!bool2(false)) && all((bool2(true) && bool2(true, true))));
  c.check(sizeof(float3) == 16 && alignof(half3) == 8 && sizeof(packed_float3) == 12 && alignof(packed_half4) == 2 && sizeof(bool4) == 4);
  packed[1] = float3(1, 2, 3);
  packed[1] += 1;
  float3 sum = packed[1] + float3(1);
  c.check(all(sum == float3(3, 4, 5)) && all(half4(7, packed[1]) == half4(7, 2, 3, 4)) && packed[1].z == 4 && packed[1][0] == 2 && all(packed[1] * 2 == float3(4, 6, 8)));
  aligned[0] = packed[1];
  aligned[0].zx = aligned[0].xy;
  c.check(all(aligned[0] == float3(3, 3, 2)));
  c.check(as_type<uint>(1.0f) == 0x3f800000 && all(as_type<ushort2>(0x00020001u) == ushort2(1, 2)) && as_type<half>(ushort(0x3c00)) == 1);
  half4 h(0.1, 0.2, 0.3, 0.4);
  c.check((h + h).x == half(0.1h + 0.1h) && float(h.x) != 0.1f && half(65504) * 2 == half(INFINITY));
  c.check(all(select(int2(1, 2), int2(3, 4), bool2(false, true)) == int2(1, 4)));
  int2 steps(1, 2);
  c.check(all(steps++ == int2(1, 2)) && all(++steps == int2(3, 4)));
  constexpr float2 fixed = float2(1, 2);
  static_assert(fixed.y == 2, "vectors are constants");
  c.check(numeric_limits<half>::max() == 65504 && HALF_MAX == 65504 && numeric_limits<float>::lowest() == -FLT_MAX &&
          numeric_limits<int>::min() == INT_MIN && numeric_limits<uint>::max() == UINT_MAX && numeric_limits<short>::max() == 32767);
  c.check(is_same_v<decltype(float4().xy), float2> && is_same_v<decltype(1.0h * 1.0f), float> && is_floating_point_v<half> &&
          !is_floating_point_v<int> && is_same_v<conditional_t<true, int, float>, int>);
  c.check(is_same_v<decltype(0.5), float> || sizeof(1.0 / 3) == 4 || (1.0 / 3) == (1.0f / 3.0f));
  vec deduced = vec(1.0f, 2.0f, 3.0f);
  packed_char4 small = char4(1, -2, 3, 4);
  c.check(is_same_v<decltype(deduced), float3> && all(float4(small) == float4(1, -2, 3, 4)));
  float2x3 m(float3(1, 2, 3), float3(4, 5, 6));
  c.check(all(m * float2(1, 10) == float3(41, 52, 63)) && all(float3(1, 1, 1) * m == float2(6, 15)) && m[1].y == 5);
  c.check(transpose(m)[2].y == 6 && (transpose(m) * m)[1][0] == 32 && determinant(float3x3(2)) == 8 &&
          determinant(float2x2(1, 2, 3, 4)) == -2 && float3x3(1) * float3x3(3) == float3x3(3));
  array<float, 3> three = {1, 2, 3};
  c.check(three[2] == 3 && three.size() == 3);
  vec<float, 8> wide(1.5);
  wide[7] = 4;
  wide += vec<float, 8>(1);
  c.check(wide[0] == 2.5 && wide[7] == 5 && (wide * 2)[7] == 10 && sizeof(wide) == 32 && alignof(vec<half, 16>) == 32);
  c.check((vec<half, 8>(1, 2, 3, 4, 5, 6, 7, 8) < vec<half, 8>(4))[2] && !(vec<half, 8>(4) < vec<half, 8>(wide))[0]);
#if __METAL_VERSION__ >= 310
  bfloat b = 1.0bf;
  b += 0.001;
  c.check(b == 1 && bfloat(257.0f) == bfloat(256) && float(static_cast<bfloat>(0.5h)) == 0.5f &&
          static_cast<half>(bfloat(2)) == 2 && bfloat2(1, 2).y == 2 && (b < 0 ? b : 0) == 0);
#else
  struct bfloat { float hidden; };
  c.check(bfloat{3}.hidden == 3);
#endif
  out[c.count] = -1;
}
