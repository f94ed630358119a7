// Turns errors of the device layer into refusals of what the user asked for.
#pragma once

#include <stdexcept>
#include <utility>

#include "metal/device/result.h"

namespace assay::validation {

/// The result's value. Throws std::invalid_argument with the text of its error.
template <class T>
T or_refuse(metal::Result<T> result) {
  if (!result) throw std::invalid_argument(result.error().text);
  return std::move(*result);
}

}  // namespace assay::validation
