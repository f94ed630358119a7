// An array of numbers whose type is chosen at run time: an input of a kernel.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <variant>
#include <vector>

#include "metal/cpu/half.h"
#include "validation/core/dtype.h"

namespace assay::validation {

/// What use(Real()) returns, for the C++ type of a dtype.
template <class Use>
auto with_real(Dtype dtype, Use&& use) {
  if (dtype == Dtype::float16) return use(metal::Half());
  if (dtype == Dtype::bfloat16) return use(metal::BFloat16());
  if (dtype == Dtype::float64) return use(double());
  return use(float());
}

template <class Real>
constexpr Dtype dtype_of() {
  if constexpr (std::is_same_v<Real, metal::Half>) return Dtype::float16;
  if constexpr (std::is_same_v<Real, metal::BFloat16>) return Dtype::bfloat16;
  return std::is_same_v<Real, double> ? Dtype::float64 : Dtype::float32;
}

/// A type of 16 bits other than `dtype`: what a caller may hand over by mistake.
inline Dtype other_than(Dtype dtype) {
  return dtype == Dtype::float16 ? Dtype::bfloat16 : Dtype::float16;
}

template <class Any>
inline constexpr bool is_variant = false;
template <class... Spans>
inline constexpr bool is_variant<std::variant<Spans...>> = true;

/// The span as a View, a variant of spans or a span. Throws std::logic_error where View has no such type.
template <class View, class Real>
View view_as(std::span<Real> span) {
  if constexpr (std::is_constructible_v<View, std::span<Real>>) {
    return View(span);
  } else {
    throw std::logic_error("a kernel of this operation is given no such array");
  }
}

/// Values converted to a type.
class TypedArray {
 public:
  template <class Image>
  TypedArray(const std::vector<Image>& values, Dtype dtype) {
    with_real(dtype, [&]<class Real>(Real) { values_ = converted<Real>(values); });
  }

  /// The array as a View, a variant of spans of const elements.
  template <class View>
  View view() const {
    return std::visit(
        []<class Real>(const std::vector<Real>& values) { return view_as<View>(std::span<const Real>(values)); },
        values_);
  }

  /// Whether the array differs in some bit from `values` converted.
  template <class Image>
  bool differs_from(const std::vector<Image>& values) const {
    return std::visit(
        [&]<class Real>(const std::vector<Real>& own) {
          if constexpr (std::is_same_v<Real, Image>) return differ(own, values);
          return differ(own, converted<Real>(values));
        },
        values_);
  }

 private:
  template <class Real, class Image>
  static std::vector<Real> converted(const std::vector<Image>& values) {
    if constexpr (std::is_same_v<Real, Image>) return values;
    std::vector<Real> others(values.size());
    std::ranges::transform(values, others.begin(),
                           [](const Image& value) { return static_cast<Real>(static_cast<double>(value)); });
    return others;
  }

  template <class Real>
  static bool differ(const std::vector<Real>& a, const std::vector<Real>& b) {
    return !a.empty() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) != 0;
  }

  std::variant<std::vector<float>, std::vector<metal::Half>, std::vector<metal::BFloat16>, std::vector<double>> values_;
};

}  // namespace assay::validation
