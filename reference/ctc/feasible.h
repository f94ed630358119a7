// Whether labels l [S] have an alignment of T frames: T >= S + repeats(l). A frame for each label, and one for the
// blank between equal neighbours, are needed; they suffice, for the first of them may last as long as it likes.
#pragma once

#include <cstdint>
#include <span>

#include "reference/ctc/repeats.h"

namespace assay::reference {

inline bool feasible(std::int64_t T, std::span<const std::int64_t> labels) {
  return T >= std::ssize(labels) + repeats(labels);
}

}  // namespace assay::reference
