// precise:: and fast:: have functions of float alone, as Apple's compiler shows: half is converted, and the result is float.
#include <metal_stdlib>
using namespace metal;

template <class T>
int is_float(T) {
  return sizeof(T) == 4 ? 1 : 2;
}

kernel void precisions(device int* out, device float*, device float*) {
  const half x = 0.3h;
  int n = 0;
  out[n++] = is_float(precise::exp(x));
  out[n++] = is_float(fast::exp(x));
  out[n++] = is_float(precise::atan2(x, x));
  out[n++] = is_float(fast::fma(x, x, x));
  out[n++] = sizeof(exp(x)) == 2 ? 1 : 2;
  out[n++] = sizeof(atan2(x, x)) == 2 ? 1 : 2;
  out[n++] = precise::log(x) != float(log(x)) && half(precise::log(x)) == log(x) ? 1 : 2;
  out[n++] = sizeof(fast::exp2(float2(2, 3))) == 8 ? 1 : 2;
  out[n++] = precise::pow(2, 3) == 8 ? 1 : 2;
  // Clang makes one conversion of those from half to float and from float to a wider type.
  const half squared = as_type<half>(ushort(0x4400 + (out[0] == 1 ? 0 : 1)));
  out[n++] = rsqrt(squared) == 0.5h ? 1 : 2;
  out[n] = -1;
}
