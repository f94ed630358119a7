// Integer functions: out[n] = 1 where claim n holds.
#include <metal_stdlib>
using namespace metal;

struct Checks {
  device int* out;
  int count;
  void check(bool holds) thread { out[count++] = holds ? 1 : 2; }
};

kernel void integers(device int* out) {
  Checks c{out, 0};
  c.check(popcount(0xffu) == 8 && popcount(short(-1)) == 16 && all(popcount(uint2(1, 3)) == uint2(1, 2)));
  c.check(clz(1u) == 31 && clz(ushort(1)) == 15 && clz(0u) == 32 && clz(1ul) == 63 && ctz(8) == 3 && ctz(0u) == 32);
  c.check(mulhi(0x80000000u, 4u) == 2 && mulhi(-1, 1) == -1 && mulhi(~0ul, 2ul) == 1);
  c.check(mad24(3, 4, 5) == 17 && mul24(-2, 3) == -6 && madhi(0x80000000u, 2u, 1u) == 2);
  c.check(rotate(0x80000001u, 1u) == 3 && rotate(uchar(0x81), uchar(1)) == 3 && rotate(5u, 0u) == 5);
  c.check(extract_bits(0xabcdu, 4, 8) == 0xbc && extract_bits(0xf0, 4, 4) == -1 && insert_bits(0xffffu, 0u, 4, 8) == 0xf00f);
  c.check(reverse_bits(1u) == 0x80000000 && reverse_bits(uchar(1)) == 128);
  c.check(addsat(INT_MAX, 1) == INT_MAX && subsat(1u, 2u) == 0 && subsat(INT_MIN, 1) == INT_MIN && madsat(1 << 30, 4, 0) == INT_MAX);
  c.check(hadd(UINT_MAX, UINT_MAX) == UINT_MAX && rhadd(1, 2) == 2 && hadd(1, 2) == 1 && absdiff(-3, 4) == 7);
  c.check(abs(-3) == 3 && min(2, 3) == 2 && max(2u, 3u) == 3 && clamp(9, 0, 5) == 5 && all(max(int2(1, 5), 3) == int2(3, 5)));
  c.check(min3(3, 1, 2) == 1 && max3(3, 1, 2) == 3 && median3(3, 1, 2) == 2);
  out[c.count] = -1;
}
