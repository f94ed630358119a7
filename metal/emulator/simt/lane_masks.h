// Masks with a bit for each lane of a simdgroup, and the sites at which lanes wait.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "metal/emulator/abi/shader_abi.h"

namespace assay::metal::emulator {

inline std::uint32_t first_lane(std::uint32_t mask) {
  return static_cast<std::uint32_t>(std::countr_zero(mask));
}

/// The lanes of a simdgroup with so many threads.
inline std::uint32_t lanes_of(std::uint32_t threads) {
  return ~std::uint32_t{0} >> (abi::lanes_per_simdgroup - std::min(abi::lanes_per_simdgroup, threads));
}

inline bool same_site(const abi::Site& a, const abi::Site& b) {
  return a.line == b.line && a.column == b.column && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

}  // namespace assay::metal::emulator
