// The number of positions at which a label equals the one before it: between those two a blank must stand.
//
//   repeats(a b b b) = 2
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::reference {

inline std::int64_t repeats(std::span<const std::int64_t> labels) {
  std::int64_t count = 0;
  for (std::size_t s = 1; s < labels.size(); ++s) count += labels[s] == labels[s - 1];
  return count;
}

}  // namespace assay::reference
