// Turns errors into exceptions, for callers that cannot go on after an error, such as the gate and benchmarks.
#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "metal/device/result.h"

namespace assay::metal {

/// The result's value. Throws std::runtime_error with the text of its error.
template <class T>
T or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace assay::metal
