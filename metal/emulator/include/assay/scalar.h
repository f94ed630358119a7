// Metal's scalar types and type traits: Metal Shading Language Specification, sections 2.1 and 2.20.
#pragma once

/// Marks a function whose accesses are not reported: it computes with its own values only.
#define ASSAY_UNCHECKED __attribute__((no_sanitize("thread", "array-bounds", "shift", "coverage")))
#define ASSAY_OWN ASSAY_UNCHECKED inline
/// Marks a function that reads or writes the shader's memory. Its accesses are reported at the line that calls it.
#define ASSAY_IN_PLACE __attribute__((always_inline, nodebug)) inline

// Metal's own headers define it, and published shaders use it.
#define METAL_FUNC inline __attribute__((always_inline))

#if ASSAY_LINT
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#else
using half = _Float16;
#endif
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned int;
using int64_t = long;
using uint64_t = unsigned long;
using size_t = decltype(sizeof 0);
using ptrdiff_t = long;
using intptr_t = long;
using uintptr_t = unsigned long;

#if __METAL_VERSION__ >= 310
using bfloat = __bf16;
#define __HAVE_BFLOAT__ 1
#endif

namespace metal {

#if !ASSAY_LINT
using ::half;
#endif
using ::int16_t, ::int32_t, ::int64_t, ::int8_t, ::uint16_t, ::uint32_t, ::uint64_t, ::uint8_t;
using ::intptr_t, ::ptrdiff_t, ::size_t, ::uintptr_t;
#if __METAL_VERSION__ >= 310
using ::bfloat;
#endif
using ::uchar, ::ushort, ::uint, ::ulong;

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
  using value_type = T;
  using type = integral_constant;
  constexpr operator T() const { return v; }
  constexpr T operator()() const { return v; }
};
template <bool b>
using bool_constant = integral_constant<bool, b>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <bool condition, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  using type = T;
};
template <bool condition, class T = void>
using enable_if_t = typename enable_if<condition, T>::type;

template <bool condition, class A, class B>
struct conditional {
  using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
  using type = B;
};
template <bool condition, class A, class B>
using conditional_t = typename conditional<condition, A, B>::type;

template <class T>
struct type_identity {
  using type = T;
};

#define ASSAY_TRAIT(name, ...)                 \
  template <class T>                           \
  struct name : bool_constant<__VA_ARGS__> {}; \
  template <class T>                           \
  inline constexpr bool name##_v = name<T>::value;
#define ASSAY_TRAIT_2(name, ...)               \
  template <class A, class B>                  \
  struct name : bool_constant<__VA_ARGS__> {}; \
  template <class A, class B>                  \
  inline constexpr bool name##_v = name<A, B>::value;
#define ASSAY_TYPE_TRAIT(name, ...) \
  template <class T>                \
  struct name {                     \
    using type = __VA_ARGS__;       \
  };                                \
  template <class T>                \
  using name##_t = typename name<T>::type;

ASSAY_TYPE_TRAIT(remove_const, __remove_const(T))
ASSAY_TYPE_TRAIT(remove_volatile, __remove_volatile(T))
ASSAY_TYPE_TRAIT(remove_cv, __remove_cv(T))
ASSAY_TYPE_TRAIT(remove_reference, __remove_reference_t(T))
ASSAY_TYPE_TRAIT(remove_pointer, __remove_pointer(T))
ASSAY_TYPE_TRAIT(remove_extent, __remove_extent(T))
// The translator has removed all address spaces.
ASSAY_TYPE_TRAIT(remove_addrspace, T)
ASSAY_TYPE_TRAIT(add_const, const T)
ASSAY_TYPE_TRAIT(add_pointer, __add_pointer(T))
ASSAY_TYPE_TRAIT(add_lvalue_reference, __add_lvalue_reference(T))
ASSAY_TYPE_TRAIT(decay, __decay(T))
ASSAY_TYPE_TRAIT(underlying_type, __underlying_type(T))
ASSAY_TYPE_TRAIT(make_unsigned, __make_unsigned(T))
ASSAY_TYPE_TRAIT(make_signed, __make_signed(T))

template <class T>
T&& declval() noexcept;

ASSAY_TRAIT_2(is_same, __is_same(A, B))
ASSAY_TRAIT_2(is_base_of, __is_base_of(A, B))
ASSAY_TRAIT_2(is_convertible, __is_convertible(A, B))
ASSAY_TRAIT(is_void, __is_void(T))
ASSAY_TRAIT(is_integral, __is_integral(T))
// The compiler's own trait leaves out the 16-bit types, which are extensions to it.
ASSAY_TRAIT(is_floating_point,
            __is_floating_point(T) || __is_same(__remove_cv(T), half) || __is_same(__remove_cv(T), __bf16))
ASSAY_TRAIT(is_arithmetic, is_integral<T>::value || is_floating_point<T>::value)
ASSAY_TRAIT(is_scalar, __is_scalar(T) || is_arithmetic<T>::value)
ASSAY_TRAIT(is_signed, is_floating_point<T>::value || __is_signed(T))
ASSAY_TRAIT(is_unsigned, __is_unsigned(T))
ASSAY_TRAIT(is_const, __is_const(T))
ASSAY_TRAIT(is_volatile, __is_volatile(T))
ASSAY_TRAIT(is_enum, __is_enum(T))
ASSAY_TRAIT(is_class, __is_class(T))
ASSAY_TRAIT(is_union, __is_union(T))
ASSAY_TRAIT(is_array, __is_array(T))
ASSAY_TRAIT(is_pointer, __is_pointer(T))
ASSAY_TRAIT(is_reference, __is_reference(T))
ASSAY_TRAIT(is_function, __is_function(T))
ASSAY_TRAIT(is_trivial, __is_trivial(T))
ASSAY_TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
ASSAY_TRAIT(is_standard_layout, __is_standard_layout(T))

template <class...>
struct conjunction : true_type {};
template <class First, class... Rest>
struct conjunction<First, Rest...> : conditional_t<bool(First::value), conjunction<Rest...>, First> {};
template <class...>
struct disjunction : false_type {};
template <class First, class... Rest>
struct disjunction<First, Rest...> : conditional_t<bool(First::value), First, disjunction<Rest...>> {};
// Apple's headers spell it so, and published shaders use it.
template <class... T>
using _disjunction = disjunction<T...>;
template <class T>
struct negation : bool_constant<!bool(T::value)> {};

}  // namespace metal
