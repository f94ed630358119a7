// The swizzles of vectors, v.zyx and v.bgr, read and written: Metal Shading Language Specification, section 2.2.
//
// Each is a property: `v.xy` calls get_xy, and `v.xy = u` calls put_xy. So its type is an ordinary vector.
#pragma once

#define ASSAY_SWIZZLE_2(a, A, b, B)                                              \
  ASSAY_IN_PLACE constexpr vec<T, 2> get_##a##b() const {                        \
    return {a, b};                                                               \
  }                                                                              \
  ASSAY_IN_PLACE constexpr void put_##a##b(vec<T, 2> v) {                        \
    static_assert(sizeof(T) == 0 || #a[0] != #b[0], "a component occurs twice"); \
    a = v.x, b = v.y;                                                            \
  }                                                                              \
  __declspec(property(get = get_##a##b, put = put_##a##b)) vec<T, 2> a##b, A##B;

#define ASSAY_SWIZZLE_3(a, A, b, B, c, C)                                                                              \
  ASSAY_IN_PLACE constexpr vec<T, 3> get_##a##b##c() const {                                                           \
    return {a, b, c};                                                                                                  \
  }                                                                                                                    \
  ASSAY_IN_PLACE constexpr void put_##a##b##c(vec<T, 3> v) {                                                           \
    static_assert(sizeof(T) == 0 || (#a[0] != #b[0] && #a[0] != #c[0] && #b[0] != #c[0]), "a component occurs twice"); \
    a = v.x, b = v.y, c = v.z;                                                                                         \
  }                                                                                                                    \
  __declspec(property(get = get_##a##b##c, put = put_##a##b##c)) vec<T, 3> a##b##c, A##B##C;

#define ASSAY_SWIZZLE_4(a, A, b, B, c, C, d, D)                                                              \
  ASSAY_IN_PLACE constexpr vec<T, 4> get_##a##b##c##d() const {                                              \
    return {a, b, c, d};                                                                                     \
  }                                                                                                          \
  ASSAY_IN_PLACE constexpr void put_##a##b##c##d(vec<T, 4> v) {                                              \
    static_assert(sizeof(T) == 0 || (#a[0] != #b[0] && #a[0] != #c[0] && #b[0] != #c[0] && #a[0] != #d[0] && \
                                     #b[0] != #d[0] && #c[0] != #d[0]),                                      \
                  "a component occurs twice");                                                               \
    a = v.x, b = v.y, c = v.z, d = v.w;                                                                      \
  }                                                                                                          \
  __declspec(property(get = get_##a##b##c##d, put = put_##a##b##c##d)) vec<T, 4> a##b##c##d, A##B##C##D;

// Each calls `macro` with each component (x) and the component's other name (r). There is one for each place in a
// swizzle, because no macro expands within itself.
#define ASSAY_1_OF_2(macro) macro(2, x, r) macro(2, y, g)
#define ASSAY_1_OF_3(macro) macro(3, x, r) macro(3, y, g) macro(3, z, b)
#define ASSAY_1_OF_4(macro) macro(4, x, r) macro(4, y, g) macro(4, z, b) macro(4, w, a)
#define ASSAY_2_OF_2(macro, ...) macro(__VA_ARGS__, x, r) macro(__VA_ARGS__, y, g)
#define ASSAY_2_OF_3(macro, ...) macro(__VA_ARGS__, x, r) macro(__VA_ARGS__, y, g) macro(__VA_ARGS__, z, b)
#define ASSAY_2_OF_4(macro, ...) \
  macro(__VA_ARGS__, x, r) macro(__VA_ARGS__, y, g) macro(__VA_ARGS__, z, b) macro(__VA_ARGS__, w, a)
#define ASSAY_3_OF_2(macro, ...) macro(__VA_ARGS__, x, r) macro(__VA_ARGS__, y, g)
#define ASSAY_3_OF_3(macro, ...) macro(__VA_ARGS__, x, r) macro(__VA_ARGS__, y, g) macro(__VA_ARGS__, z, b)
#define ASSAY_3_OF_4(macro, ...) \
  macro(__VA_ARGS__, x, r) macro(__VA_ARGS__, y, g) macro(__VA_ARGS__, z, b) macro(__VA_ARGS__, w, a)
#define ASSAY_4_OF_2(macro, ...) macro(__VA_ARGS__, x, r) macro(__VA_ARGS__, y, g)
#define ASSAY_4_OF_3(macro, ...) macro(__VA_ARGS__, x, r) macro(__VA_ARGS__, y, g) macro(__VA_ARGS__, z, b)
#define ASSAY_4_OF_4(macro, ...) \
  macro(__VA_ARGS__, x, r) macro(__VA_ARGS__, y, g) macro(__VA_ARGS__, z, b) macro(__VA_ARGS__, w, a)

#define ASSAY_PAIRS(N, a, A) ASSAY_2_OF_##N(ASSAY_SWIZZLE_2, a, A)
#define ASSAY_TRIPLES(N, a, A) ASSAY_2_OF_##N(ASSAY_TRIPLES_FROM, N, a, A)
#define ASSAY_TRIPLES_FROM(N, a, A, b, B) ASSAY_3_OF_##N(ASSAY_SWIZZLE_3, a, A, b, B)
#define ASSAY_QUADS(N, a, A) ASSAY_2_OF_##N(ASSAY_QUADS_FROM, N, a, A)
#define ASSAY_QUADS_FROM(N, a, A, b, B) ASSAY_3_OF_##N(ASSAY_QUADS_FROM_2, N, a, A, b, B)
#define ASSAY_QUADS_FROM_2(N, a, A, b, B, c, C) ASSAY_4_OF_##N(ASSAY_SWIZZLE_4, a, A, b, B, c, C)

/// All swizzles of a vector of N components.
#define ASSAY_SWIZZLES_OF(N) ASSAY_1_OF_##N(ASSAY_PAIRS) ASSAY_1_OF_##N(ASSAY_TRIPLES) ASSAY_1_OF_##N(ASSAY_QUADS)
