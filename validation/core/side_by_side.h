// The two verdicts on one result, by the algebra and by its bound, in words (docs/algebra.md).
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace assay::validation {

inline constexpr const char* algebra_name = "algebra";

/// `share`: of the bound, the error's.
inline std::string equal_within(double share) {
  return fmt::format("algebra equal, error {:.3g} % of the bound", 100 * share);
}

/// The verdict on a result beyond its bound. `why` tells why some elements are undecided.
inline std::string equal_beyond(std::int64_t equal, std::int64_t undecided, const std::string& why) {
  if (equal == 0) return "not judged by the algebra: " + why;
  if (undecided == 0) return "algebra equal, beyond the bound: rounding";
  return fmt::format("algebra equal on {} elements, beyond the bound; {} not judged: {}", equal, undecided, why);
}

inline constexpr const char* differs_beyond = "algebra differs, beyond the bound: another formula";

inline std::string differs(double share) {
  if (!(share <= 1)) return differs_beyond;
  return fmt::format("algebra differs, within the bound: a hidden fault (its error is {:.3g} % of the bound)",
                     100 * share);
}

}  // namespace assay::validation
