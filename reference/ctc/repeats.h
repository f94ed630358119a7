// Repeated labels, and whether labels l [S] have an alignment of T frames.
//
//   repeats(l)     = the number of positions at which a label equals the one before it: repeats(a b b b) = 2
//   feasible(T, l) = T >= S + repeats(l)
//
// Each label needs a frame, and so does the blank between equal neighbours. As many frames suffice: the first of them
// may last as long as it likes.
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

inline bool feasible(std::int64_t T, std::span<const std::int64_t> labels) {
  return T >= std::ssize(labels) + repeats(labels);
}

}  // namespace assay::reference
