// Mathematical functions of x, in their three namespaces: out[n].
#include <metal_stdlib>
using namespace metal;

kernel void functions(constant float& x, constant float& y, device float* out) {
  uint n = 0;
#define EACH(call) out[n++] = call; out[n++] = fast::call; out[n++] = precise::call;
  EACH(acos(x)) EACH(acosh(1 + x)) EACH(asin(x)) EACH(asinh(x)) EACH(atan(x)) EACH(atanh(x)) EACH(ceil(x)) EACH(cos(x))
  EACH(cosh(x)) EACH(cospi(x)) EACH(exp(x)) EACH(exp2(x)) EACH(exp10(x)) EACH(floor(x)) EACH(fract(x)) EACH(log(x))
  EACH(log2(x)) EACH(log10(x)) EACH(rint(x)) EACH(round(x)) EACH(rsqrt(x)) EACH(sin(x)) EACH(sinh(x)) EACH(sinpi(x))
  EACH(sqrt(x)) EACH(tan(x)) EACH(tanh(x)) EACH(tanpi(x)) EACH(trunc(x)) EACH(atan2(x, y)) EACH(copysign(x, -y))
  EACH(fdim(y, x)) EACH(fmod(y, x)) EACH(pow(x, y)) EACH(powr(x, y)) EACH(fma(x, y, 1)) EACH(ldexp(x, 3))
  EACH(fmax(x, y)) EACH(fmin(x, y)) EACH(fmax3(x, y, 1)) EACH(fmin3(x, y, 1)) EACH(fmedian3(x, y, 1)) EACH(ilogb(8 * x))
#undef EACH
  out[n++] = mix(x, y, 0.25);
  out[n++] = step(x, y);
  out[n++] = smoothstep(0.0, 1.0, x);
  out[n++] = saturate(3 * x);
  out[n++] = sign(-x);
  out[n++] = mad(x, y, 1.0);
  out[n++] = max(x, NAN);
  out[n++] = float(isnan(NAN) && !isnan(x) && isinf(INFINITY) && isfinite(x) && signbit(-x) && isnormal(x) && !isnormal(0.0));
  out[n++] = dot(float3(x, y, 1), float3(1, 2, 3));
  out[n++] = length(float2(3 * x, 4 * x));
  out[n++] = cross(float3(1, 0, 0), float3(0, x, 0)).z;
  out[n++] = normalize(float2(0, x)).y;
  out[n++] = distance(float2(x, y), float2(x, 0));
  int exponent;
  out[n++] = frexp(8 * x, exponent);
  out[n++] = float(exponent);
  float whole;
  out[n++] = modf(10 * x, whole);
  out[n++] = whole;
  float cosine;
  out[n++] = sincos(x, cosine);
  out[n++] = cosine;
  out[n++] = nextafter(1.0f, 2.0f);
  out[n++] = float(exp(half(x))) + float(sqrt(half4(x)).w);
  out[n] = -7;
}
