// Types that a kernel keeps some values in, or rounds the factors of its products of matrices to, narrower than the one in
// which it computes. Derivation of the error: docs/bounds.md, "Values in a narrower type".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/core/dtype.h"

namespace assay::validation::formula {

/// tf32: float32 with the first 11 bits of its significand, the others rounded or left out.
enum class Kept : std::uint8_t { float32, float16, bfloat16, tf32 };

/// In the order of Kept.
const std::vector<std::string>& kept_names();

inline const std::string& name_of(Kept type) {
  return kept_names()[static_cast<std::size_t>(type)];
}

/// Throws std::invalid_argument for a name that is none of them.
Kept kept_called(const std::string& name);

/// `value` rounded to the type, to nearest.
double kept(Kept type, double value);

/// What keeping a value that is off by at most `error` adds to the error: 0 for an exact number of the type, infinite
/// where the type may not hold it.
double kept_error(Kept type, double value, double error, bool flushes_subnormals);

}  // namespace assay::validation::formula
