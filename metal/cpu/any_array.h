// Arrays whose types are known when the program runs, and their conversion to those that a kernel is compiled for.
#pragma once

#include <span>
#include <type_traits>
#include <variant>

#include "metal/cpu/half.h"
#include "reference/refuse.h"

namespace assay::metal {

template <class... Reals>
using AnyInputOf = std::variant<std::span<const Reals>...>;
template <class... Reals>
using AnyOutputOf = std::variant<std::span<Reals>...>;

/// The name of the type in PyTorch.
template <class Real>
constexpr const char* dtype_name() {
  if constexpr (std::is_same_v<Real, float>) return "float32";
  if constexpr (std::is_same_v<Real, double>) return "float64";
  if constexpr (std::is_same_v<Real, Half>) return "float16";
  if constexpr (std::is_same_v<Real, BFloat16>) return "bfloat16";
}

/// The span that the variant `any` holds. An empty span of another type becomes an empty Span. Throws
/// std::invalid_argument for any other span of another type; the message says that array `name` must have the type of
/// array `as`.
template <class Span, class Any>
Span typed(const char* name, const Any& any, const char* as) {
  return std::visit(
      [name, as]<class Given>(const Given& given) -> Span {
        if constexpr (std::is_same_v<Given, Span>) {
          return given;
        } else {
          if (!given.empty())
            reference::detail::refuse(name, " is ", dtype_name<std::remove_const_t<typename Given::element_type>>(),
                                      ": expected ", dtype_name<std::remove_const_t<typename Span::element_type>>(),
                                      ", as ", as, " is");
          return {};
        }
      },
      any);
}

}  // namespace assay::metal
