// A random order: Fisher and Yates' shuffle (Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2P).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "validation/core/random.h"

namespace assay::validation {

/// Puts the elements in a random order.
template <class Elements>
void shuffle(Elements& elements, Random& random) {
  for (std::size_t i = elements.size(); i-- > 1;)
    std::swap(elements[i], elements[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i)))]);
}

}  // namespace assay::validation
