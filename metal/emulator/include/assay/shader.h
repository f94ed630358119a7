// Included before every shader: declarations that the translator's output uses. Not for shaders themselves.
#pragma once
#pragma clang system_header

#include <assay/function_table.h>
#include <assay/hooks.h>
#include <assay/numerics.h>
#include <assay/scopes.h>
#include <assay/site.h>
#include <assay/types.h>

#if ASSAY_LINT

namespace assay_shader_side {

/// An object of the type. Never defined, since lint runs nothing.
template <class T>
T& lint_variable();

}  // namespace assay_shader_side

#else

#if ASSAY_NVPTX
#include <assay/nvptx/entry.h>
#else

namespace assay_shader_side {

inline constexpr unsigned is_checked = ASSAY_CHECKED;

/// The group's memory for one `threadgroup` variable, aligned to 16 bytes at least.
template <class T>
ASSAY_UNCHECKED T& threadgroup_variable(const void* key, const char* name) {
  constexpr unsigned long align = alignof(T) < 16 ? 16 : alignof(T);
  return *static_cast<T*>(services->threadgroup_variable(key, sizeof(T), align, name));
}

}  // namespace assay_shader_side

#endif

namespace assay_shader_side {

template <unsigned n, class First, class... Rest>
struct Nth : Nth<n - 1, Rest...> {};
template <class First, class... Rest>
struct Nth<0, First, Rest...> {
  using type = First;
};
template <class Function>
struct Signature;
template <class... Arguments>
struct Signature<void (*const)(Arguments...)> {
  template <unsigned n>
  using argument = typename Nth<n, Arguments...>::type;
};
template <const auto& function, unsigned n>
using argument_type = typename Signature<metal::remove_reference_t<decltype(function)> >::template argument<n>;

/// The type of an array's elements.
template <class Array>
using element_type = metal::remove_cv_t<metal::remove_reference_t<decltype(metal::declval<Array&>()[0])> >;

/// Metal's name of a scalar or vector type; for other types the name as written.
template <class T>
constexpr const char* metal_name(const char* written) {
  return written;
}
#define ASSAY_NAME(type, name)                          \
  template <>                                           \
  constexpr const char* metal_name<type>(const char*) { \
    return name;                                        \
  }
#define ASSAY_NAMES(type)                                  \
  ASSAY_NAME(type, #type)                                  \
  ASSAY_NAME(metal::type##2, #type "2")                    \
  ASSAY_NAME(metal::type##3, #type "3")                    \
  ASSAY_NAME(metal::type##4, #type "4")                    \
  ASSAY_NAME(metal::packed_##type##2, "packed_" #type "2") \
  ASSAY_NAME(metal::packed_##type##3, "packed_" #type "3") \
  ASSAY_NAME(metal::packed_##type##4, "packed_" #type "4")
ASSAY_NAMES(bool)
ASSAY_NAMES(char)
ASSAY_NAMES(uchar)
ASSAY_NAMES(short)
ASSAY_NAMES(ushort)
ASSAY_NAMES(int)
ASSAY_NAMES(uint)
ASSAY_NAMES(long)
ASSAY_NAMES(ulong)
ASSAY_NAMES(half)
ASSAY_NAMES(float)
#if __METAL_VERSION__ >= 310
ASSAY_NAMES(bfloat)
#endif

template <class T, class = void>
inline constexpr bool is_texture = false;
template <class T>
inline constexpr bool is_texture<T, decltype(void(typename T::assay_component()))> = true;

template <class T, class = void>
inline constexpr bool is_function_table = false;
template <class T>
inline constexpr bool is_function_table<T, decltype(void(static_cast<typename T::assay_function*>(nullptr)))> = true;

template <class A>
constexpr abi::Argument argument(const char* name, const char* type, abi::ArgumentKind kind, abi::AddressSpace space,
                                 unsigned index, const char* written_element, const char* attribute,
                                 const bool* is_present) {
  using Element = metal::remove_pointer_t<metal::remove_reference_t<A> >;
  using Plain = metal::remove_cv_t<Element>;
  const char* element = metal_name<Plain>(written_element);
  if constexpr (is_texture<Plain>) {
    using T = typename Plain::assay_component;
    return {name,
            type,
            kind,
            space,
            index,
            0,
            Plain::assay_is_written,
            sizeof(T),
            alignof(T),
            metal_name<T>(written_element),
            Plain::assay_texture_name(),
            is_present};
  }
  if constexpr (is_function_table<Plain>)
    return {name,
            type,
            kind,
            space,
            index,
            0,
            0,
            sizeof(void*),
            alignof(void*),
            "function",
            "visible_function_table",
            is_present,
            &metal::assay_detail::function_type<typename Plain::assay_function>};
  const bool is_written =
      kind != abi::ArgumentKind::position && kind != abi::ArgumentKind::sampler && !metal::is_const_v<Element>;
  if constexpr (metal::is_void_v<Plain>)
    return {name, type, kind, space, index, false, is_written, 1, 1, element, attribute, is_present};
  else
    return {name,       type,          kind,           space,   index,     metal::is_reference_v<A>,
            is_written, sizeof(Plain), alignof(Plain), element, attribute, is_present};
}

template <class T>
constexpr abi::Constant constant(const char* name, unsigned index, T* storage, bool* is_set) {
  return {name, metal_name<T>("?"), index, sizeof(T), storage, is_set};
}

/// Converts a member of the Invocation to the type of the kernel's parameter: memory, a scalar, or up to three
/// coordinates.
template <class A>
ASSAY_UNCHECKED A given(void* memory) {
  if constexpr (metal::is_reference_v<A>)
    return *static_cast<metal::remove_reference_t<A>*>(memory);
  else
    return static_cast<A>(memory);
}
/// A texture, an array of textures, or a sampler.
template <class A>
ASSAY_UNCHECKED A given(const abi::Texture* texture) {
  if constexpr (is_texture<metal::remove_cv_t<A> >) {
    return A(texture);
  } else {
    metal::remove_cv_t<A> textures;
    for (metal::size_t n = 0; n < A::size(); ++n) textures[n] = element_type<A>(texture + n);
    return textures;
  }
}
template <class A>
ASSAY_UNCHECKED A given(const abi::Sampler* sampler) {
  return A(sampler);
}
template <class A>
ASSAY_UNCHECKED A given(assay_u32 value) {
  return A(value);
}
template <class A>
ASSAY_UNCHECKED A given(const assay_u32 (&xyz)[3]) {
  using metal::assay_detail::Shape;
  using Element = typename Shape<A>::Element;
  if constexpr (Shape<A>::size == 1)
    return A(xyz[0]);
  else if constexpr (Shape<A>::size == 2)
    return A(Element(xyz[0]), Element(xyz[1]));
  else
    return A(Element(xyz[0]), Element(xyz[1]), Element(xyz[2]));
}

#if !ASSAY_LINT && !ASSAY_NVPTX
/// The running thread's position, for a function that names one of program scope.
template <class A, auto member>
ASSAY_UNCHECKED A position_at() {
  return given<A>(services->position()->*member);
}
#endif

}  // namespace assay_shader_side

#endif
