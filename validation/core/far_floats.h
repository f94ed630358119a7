// Arrays past 2^32 elements in far pages (core/far_pages.h).
#pragma once

#include <cstddef>
#include <span>

#include "validation/core/far_pages.h"

namespace assay::validation {

class FarFloats {
 public:
  /// An array of `count` elements. Those of the parts `own` are NaN until they are written, and the others are zeros or
  /// what was last written to one of them. Throws Unsupported where there are no addresses left.
  FarFloats(std::size_t count, const FarParts& own);

  std::span<float> view() const { return {reinterpret_cast<float*>(pages_.data()), count_}; }

  /// The elements of a part.
  std::span<float> part(std::size_t i) const { return view().subspan(own_.begin(i), own_.size); }

 private:
  std::size_t count_;
  FarParts own_;
  FarPages pages_;
};

}  // namespace assay::validation
