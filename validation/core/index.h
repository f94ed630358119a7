// A signed extent or offset as the standard library's containers count.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::validation {

constexpr std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace assay::validation
