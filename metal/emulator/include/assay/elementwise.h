// Macros that turn a function of float into functions of all scalar types and of vectors, in the namespaces metal,
// metal::fast and metal::precise.
//
// They are computed in float, in which half and bfloat operands are exact, and rounded once to the result's type.
// `fast` and `precise` are the same functions, except for those that an NVIDIA GPU approximates (ASSAY_FAST_n), but have none
// of half: their result for half is float, as Apple's compiler has it. The names with expressions are in functions.def.
#pragma once

#include <assay/types.h>

namespace metal {
namespace assay_detail {

template <class T>
inline constexpr bool is_half = __is_same(__remove_cv(T), half);

template <class T>
ASSAY_OWN T without_half(T x) {
  return x;
}
ASSAY_OWN float without_half(half x) {
  return x;
}

/// The result of a floating-point function: half if its arguments are half (or integers), else float.
template <class... A>
using if_floating =
    enable_if_t<(is_arithmetic_v<A> && ...),
                conditional_t<(is_half<A> || ...) && ((is_half<A> || is_integral_v<A>) && ...), half, float>>;

template <class A, class... B>
struct Common {
  using type = decltype((A() + ... + B()));
};
template <class A>
struct Common<A, A> {
  using type = A;
};
template <class A>
struct Common<A, A, A> {
  using type = A;
};
/// The result of a function of any scalars: their type if it is the same, else the type of their sum.
template <class... A>
using if_arithmetic = typename enable_if_t<(is_arithmetic_v<A> && ...), Common<A...>>::type;

template <class... A>
struct FirstVector {};
template <class A, class... B>
struct FirstVector<A, B...> : conditional_t<Shape<A>::is_vector, type_identity<A>, FirstVector<B...>> {};
/// The type of the first vector among the arguments; there must be one.
template <class... A>
using if_vector = typename FirstVector<A...>::type;

}  // namespace assay_detail

#define ASSAY_IN_ALL_PRECISIONS(name) \
  namespace fast {                    \
  using metal::name;                  \
  }                                   \
  namespace precise {                 \
  using metal::name;                  \
  }

/// Defines name in fast or precise by the function of this name in another namespace. Of scalars, Metal has functions of
/// float alone there: half is converted.
#define ASSAY_OF_FLOATS(name, where)                                                              \
  template <class... A>                                                                           \
  ASSAY_OWN auto name(A... a) -> decltype(where::name(metal::assay_detail::without_half(a)...)) { \
    return where::name(metal::assay_detail::without_half(a)...);                                  \
  }

#define ASSAY_OF_FLOATS_IN_ALL_PRECISIONS(name) \
  namespace fast {                              \
  ASSAY_OF_FLOATS(name, metal)                  \
  }                                             \
  namespace precise {                           \
  ASSAY_OF_FLOATS(name, metal)                  \
  }

/// name_of(x) by `expression` in float x.
#define ASSAY_FLOAT_FUNCTION_1(name, expression) \
  namespace assay_detail {                       \
  ASSAY_OWN float name##_of(float x) {           \
    return float(expression);                    \
  }                                              \
  }

/// name(x) of scalars and vectors, by a function of float.
#define ASSAY_ELEMENTWISE_1(name, of_float, of_half)                                                     \
  template <class A, class R = metal::assay_detail::if_floating<A>>                                      \
  ASSAY_OWN R name(A a) {                                                                                \
    if constexpr (metal::assay_detail::is_half<R>)                                                       \
      return R(of_half(float(a)));                                                                       \
    else                                                                                                 \
      return R(of_float(float(a)));                                                                      \
  }                                                                                                      \
  template <class T, int N>                                                                              \
  ASSAY_OWN vec<T, N> name(vec<T, N> a) {                                                                \
    for (int n = 0; n < N; ++n)                                                                          \
      a.at(n) = T(metal::assay_detail::is_half<T> ? of_half(float(a.at(n))) : of_float(float(a.at(n)))); \
    return a;                                                                                            \
  }

/// Defines name(x) by `expression` in float x.
#define ASSAY_DEFINED_1(name, expression)  \
  ASSAY_FLOAT_FUNCTION_1(name, expression) \
  ASSAY_ELEMENTWISE_1(name, assay_detail::name##_of, assay_detail::name##_of)

#define ASSAY_FLOAT_1(name, expression) \
  ASSAY_DEFINED_1(name, expression)     \
  ASSAY_OF_FLOATS_IN_ALL_PRECISIONS(name)

#define ASSAY_FLOAT_FUNCTION_2(name, expression) \
  namespace assay_detail {                       \
  ASSAY_OWN float name##_of(float x, float y) {  \
    return float(expression);                    \
  }                                              \
  }

/// The last two are no templates, as in Metal: they are preferred to templates of the shader's own.
#define ASSAY_ELEMENTWISE_2(name, of_float, of_half)                                                              \
  template <class A, class B, class R = metal::assay_detail::if_floating<A, B>>                                   \
  ASSAY_OWN R name(A a, B b) {                                                                                    \
    if constexpr (metal::assay_detail::is_half<R>)                                                                \
      return R(of_half(float(a), float(b)));                                                                      \
    else                                                                                                          \
      return R(of_float(float(a), float(b)));                                                                     \
  }                                                                                                               \
  template <class A, class B, class V = metal::assay_detail::if_vector<A, B>, class T = typename V::element_type> \
  ASSAY_OWN V name(A a, B b) {                                                                                    \
    V x(a), y(b);                                                                                                 \
    for (int n = 0; n < V::size; ++n)                                                                             \
      x.at(n) = T(metal::assay_detail::is_half<T> ? of_half(float(x.at(n)), float(y.at(n)))                       \
                                                  : of_float(float(x.at(n)), float(y.at(n))));                    \
    return x;                                                                                                     \
  }                                                                                                               \
  ASSAY_OWN float name(float a, float b) {                                                                        \
    return of_float(a, b);                                                                                        \
  }                                                                                                               \
  ASSAY_OWN half name(half a, half b) {                                                                           \
    return half(of_half(float(a), float(b)));                                                                     \
  }

#define ASSAY_DEFINED_2(name, expression)  \
  ASSAY_FLOAT_FUNCTION_2(name, expression) \
  ASSAY_ELEMENTWISE_2(name, assay_detail::name##_of, assay_detail::name##_of)

#define ASSAY_FLOAT_2(name, expression) \
  ASSAY_DEFINED_2(name, expression)     \
  ASSAY_OF_FLOATS_IN_ALL_PRECISIONS(name)

/// The same. On an NVIDIA GPU fast::name is by the approximation, if there is one.
#if ASSAY_NVPTX
#define ASSAY_FIRST(first, ...) first
#define ASSAY_IN_PRECISE_AND_FAST(name, defined, ...)                                                                  \
  namespace precise {                                                                                                  \
  ASSAY_OF_FLOATS(name, metal)                                                                                         \
  }                                                                                                                    \
  namespace fast {                                                                                                     \
  ASSAY_FIRST(__VA_OPT__(namespace approximations{defined(name, __VA_ARGS__)} ASSAY_OF_FLOATS(name, approximations), ) \
                  ASSAY_OF_FLOATS(name, metal))                                                                        \
  }
#else
#define ASSAY_IN_PRECISE_AND_FAST(name, defined, ...) ASSAY_OF_FLOATS_IN_ALL_PRECISIONS(name)
#endif
#define ASSAY_FAST_1(name, expression, ...) \
  ASSAY_DEFINED_1(name, expression)         \
  ASSAY_IN_PRECISE_AND_FAST(name, ASSAY_DEFINED_1, __VA_ARGS__)
#define ASSAY_FAST_2(name, expression, ...) \
  ASSAY_DEFINED_2(name, expression)         \
  ASSAY_IN_PRECISE_AND_FAST(name, ASSAY_DEFINED_2, __VA_ARGS__)

#define ASSAY_FLOAT_3(name, expression)                                                                                \
  namespace assay_detail {                                                                                             \
  ASSAY_OWN float name##_of(float x, float y, float z) {                                                               \
    return float(expression);                                                                                          \
  }                                                                                                                    \
  }                                                                                                                    \
  template <class A, class B, class C, class R = assay_detail::if_floating<A, B, C>>                                   \
  ASSAY_OWN R name(A a, B b, C c) {                                                                                    \
    return R(assay_detail::name##_of(float(a), float(b), float(c)));                                                   \
  }                                                                                                                    \
  template <class A, class B, class C, class V = assay_detail::if_vector<A, B, C>, class T = typename V::element_type> \
  ASSAY_OWN V name(A a, B b, C c) {                                                                                    \
    V x(a), y(b), z(c);                                                                                                \
    for (int n = 0; n < V::size; ++n)                                                                                  \
      x.at(n) = T(assay_detail::name##_of(float(x.at(n)), float(y.at(n)), float(z.at(n))));                            \
    return x;                                                                                                          \
  }                                                                                                                    \
  ASSAY_OF_FLOATS_IN_ALL_PRECISIONS(name)

/// Defines name(x) for integers and floating-point numbers by `expression` in T x.
#define ASSAY_INTEGER_1(name, expression)                       \
  template <class T, class = assay_detail::if_arithmetic<T, T>> \
  ASSAY_OWN constexpr T name(T x) {                             \
    return T(expression);                                       \
  }                                                             \
  template <class T, int N>                                     \
  ASSAY_OWN constexpr vec<T, N> name(vec<T, N> a) {             \
    for (int n = 0; n < N; ++n) a.at(n) = name(a.at(n));        \
    return a;                                                   \
  }

#define ASSAY_INTEGER_2(name, expression)                                                  \
  namespace assay_detail {                                                                 \
  template <class T>                                                                       \
  ASSAY_OWN constexpr T name##_of(T x, T y) {                                              \
    return T(expression);                                                                  \
  }                                                                                        \
  }                                                                                        \
  template <class A, class B, class R = assay_detail::if_arithmetic<A, B>>                 \
  ASSAY_OWN constexpr R name(A a, B b) {                                                   \
    return assay_detail::name##_of<R>(R(a), R(b));                                         \
  }                                                                                        \
  template <class A, class B, class V = assay_detail::if_vector<A, B>, class = void>       \
  ASSAY_OWN constexpr V name(A a, B b) {                                                   \
    V x(a), y(b);                                                                          \
    for (int n = 0; n < V::size; ++n) x.at(n) = assay_detail::name##_of(x.at(n), y.at(n)); \
    return x;                                                                              \
  }

#define ASSAY_INTEGER_3(name, expression)                                                           \
  namespace assay_detail {                                                                          \
  template <class T>                                                                                \
  ASSAY_OWN constexpr T name##_of(T x, T y, T z) {                                                  \
    return T(expression);                                                                           \
  }                                                                                                 \
  }                                                                                                 \
  template <class A, class B, class C, class R = assay_detail::if_arithmetic<A, B, C>>              \
  ASSAY_OWN constexpr R name(A a, B b, C c) {                                                       \
    return assay_detail::name##_of<R>(R(a), R(b), R(c));                                            \
  }                                                                                                 \
  template <class A, class B, class C, class V = assay_detail::if_vector<A, B, C>, class = void>    \
  ASSAY_OWN constexpr V name(A a, B b, C c) {                                                       \
    V x(a), y(b), z(c);                                                                             \
    for (int n = 0; n < V::size; ++n) x.at(n) = assay_detail::name##_of(x.at(n), y.at(n), z.at(n)); \
    return x;                                                                                       \
  }

/// Likewise in all precisions.
#define ASSAY_ANY_1(name, expression) ASSAY_INTEGER_1(name, expression) ASSAY_IN_ALL_PRECISIONS(name)
#define ASSAY_ANY_2(name, expression) ASSAY_INTEGER_2(name, expression) ASSAY_IN_ALL_PRECISIONS(name)
#define ASSAY_ANY_3(name, expression) ASSAY_INTEGER_3(name, expression) ASSAY_IN_ALL_PRECISIONS(name)

/// Defines a predicate name(x) of floating-point numbers.
#define ASSAY_TEST_1(name, expression)                        \
  template <class A, class = assay_detail::if_floating<A>>    \
  ASSAY_OWN bool name(A a) {                                  \
    const float x = float(a);                                 \
    return expression;                                        \
  }                                                           \
  template <class T, int N>                                   \
  ASSAY_OWN vec<bool, N> name(vec<T, N> a) {                  \
    vec<bool, N> result(false);                               \
    for (int n = 0; n < N; ++n) result.at(n) = name(a.at(n)); \
    return result;                                            \
  }                                                           \
  ASSAY_IN_ALL_PRECISIONS(name)

}  // namespace metal
