// Names of vector types, packed vectors, as_type: Metal Shading Language Specification, sections 2.2, 2.2.3 and 2.21.
#pragma once

#include <assay/vector.h>

namespace metal {

// packed_vec is a vector without padding, aligned as its element. It computes as a vec.

#define ASSAY_PACKED_BODY(N)                                                          \
  packed_vec() = default;                                                             \
  ASSAY_OWN constexpr packed_vec(vec<T, N> v) {                                       \
    *this = v;                                                                        \
  }                                                                                   \
  template <class S, class = assay_detail::if_scalar<S>>                              \
  ASSAY_OWN constexpr packed_vec(S all) : packed_vec(vec<T, N>(all)) {}               \
  template <class... Parts, class = assay_detail::if_fills<N, Parts...>>              \
  ASSAY_OWN constexpr packed_vec(Parts... parts) : packed_vec(vec<T, N>(parts...)) {} \
  ASSAY_IN_PLACE constexpr T& operator[](long n) {                                    \
    ASSAY_EXPECT_INDEX(N, n, "components of a vector");                               \
    return (&x)[n];                                                                   \
  }                                                                                   \
  ASSAY_IN_PLACE constexpr const T& operator[](long n) const {                        \
    ASSAY_EXPECT_INDEX(N, n, "components of a vector");                               \
    return (&x)[n];                                                                   \
  }                                                                                   \
  ASSAY_PACKED_ASSIGN(N, +)                                                           \
  ASSAY_PACKED_ASSIGN(N, -)                                                           \
  ASSAY_PACKED_ASSIGN(N, *)                                                           \
  ASSAY_PACKED_ASSIGN(N, /)
#define ASSAY_PACKED_ASSIGN(N, op)                                   \
  ASSAY_IN_PLACE constexpr packed_vec& operator op##=(vec<T, N> v) { \
    return *this = vec<T, N>(*this) op v;                            \
  }

template <class T>
struct packed_vec<T, 2> {
  T x, y;
  ASSAY_IN_PLACE constexpr vec<T, 2> unpacked() const { return {x, y}; }
  ASSAY_IN_PLACE constexpr operator vec<T, 2>() const { return unpacked(); }
  ASSAY_IN_PLACE constexpr packed_vec& operator=(vec<T, 2> v) {
    x = v.x, y = v.y;
    return *this;
  }
  ASSAY_PACKED_BODY(2)
};
template <class T>
struct packed_vec<T, 3> {
  T x, y, z;
  ASSAY_IN_PLACE constexpr vec<T, 3> unpacked() const { return {x, y, z}; }
  ASSAY_IN_PLACE constexpr operator vec<T, 3>() const { return unpacked(); }
  ASSAY_IN_PLACE constexpr packed_vec& operator=(vec<T, 3> v) {
    x = v.x, y = v.y, z = v.z;
    return *this;
  }
  ASSAY_PACKED_BODY(3)
};
template <class T>
struct packed_vec<T, 4> {
  T x, y, z, w;
  ASSAY_IN_PLACE constexpr vec<T, 4> unpacked() const { return {x, y, z, w}; }
  ASSAY_IN_PLACE constexpr operator vec<T, 4>() const { return unpacked(); }
  ASSAY_IN_PLACE constexpr packed_vec& operator=(vec<T, 4> v) {
    x = v.x, y = v.y, z = v.z, w = v.w;
    return *this;
  }
  ASSAY_PACKED_BODY(4)
};

#define ASSAY_PACKED_OPERATOR(op)                                                \
  template <class T, int N>                                                      \
  ASSAY_OWN constexpr auto operator op(packed_vec<T, N> a, packed_vec<T, N> b) { \
    return vec<T, N>(a) op vec<T, N>(b);                                         \
  }                                                                              \
  template <class T, int N, class S, class = assay_detail::if_scalar<S>>         \
  ASSAY_OWN constexpr auto operator op(packed_vec<T, N> a, S b) {                \
    return vec<T, N>(a) op vec<T, N>(b);                                         \
  }                                                                              \
  template <class T, int N, class S, class = assay_detail::if_scalar<S>>         \
  ASSAY_OWN constexpr auto operator op(S a, packed_vec<T, N> b) {                \
    return vec<T, N>(a) op vec<T, N>(b);                                         \
  }
ASSAY_PACKED_OPERATOR(+)
ASSAY_PACKED_OPERATOR(-)
ASSAY_PACKED_OPERATOR(*)
ASSAY_PACKED_OPERATOR(/)
template <class T, int N>
ASSAY_OWN constexpr vec<T, N> operator-(packed_vec<T, N> a) {
  return -vec<T, N>(a);
}

/// The element of a vector, and a vector of the same elements: what Apple's headers have beside vec_elements.
template <class T>
struct make_scalar : type_identity<typename assay_detail::Shape<T>::Element> {};
template <class T>
using make_scalar_t = typename make_scalar<T>::type;
template <class T, int N>
struct make_vector : type_identity<vec<make_scalar_t<T>, N>> {};
template <class T, int N>
using make_vector_t = typename make_vector<T, N>::type;

#if __METAL_VERSION__ >= 310
#define ASSAY_EACH_BFLOAT(NAMES) NAMES(bfloat)
#else
#define ASSAY_EACH_BFLOAT(NAMES)
#endif
/// Calls NAMES(T) for each element type of vectors.
#define ASSAY_EACH_ELEMENT(NAMES) \
  NAMES(bool)                     \
  NAMES(char)                     \
  NAMES(uchar)                    \
  NAMES(short)                    \
  NAMES(ushort)                   \
  NAMES(int)                      \
  NAMES(uint)                     \
  NAMES(long)                     \
  NAMES(ulong)                    \
  NAMES(half)                     \
  NAMES(float)                    \
  ASSAY_EACH_BFLOAT(NAMES)

#define ASSAY_VECTOR_NAMES(T)             \
  using T##2 = vec<T, 2>;                 \
  using T##3 = vec<T, 3>;                 \
  using T##4 = vec<T, 4>;                 \
  using packed_##T##2 = packed_vec<T, 2>; \
  using packed_##T##3 = packed_vec<T, 3>; \
  using packed_##T##4 = packed_vec<T, 4>;
ASSAY_EACH_ELEMENT(ASSAY_VECTOR_NAMES)

#undef ASSAY_VECTOR_NAMES

/// The same bits as another type of the same size.
template <class To, class From>
ASSAY_OWN constexpr To as_type(From from) {
  static_assert(sizeof(To) == sizeof(From), "as_type needs types of the same size");
  return __builtin_bit_cast(To, from);
}

}  // namespace metal

// Like the scalars, vectors need no namespace.
#define ASSAY_VECTOR_NAMES(T)                  \
  using metal::T##2, metal::T##3, metal::T##4; \
  using metal::packed_##T##2, metal::packed_##T##3, metal::packed_##T##4;
ASSAY_EACH_ELEMENT(ASSAY_VECTOR_NAMES)
#undef ASSAY_VECTOR_NAMES
#undef ASSAY_EACH_ELEMENT
#undef ASSAY_EACH_BFLOAT
using metal::as_type;
