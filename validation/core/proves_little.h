// Why a run proves nothing in which nothing failed.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "validation/core/returned.h"

namespace assay::validation {

/// Why a kernel that computes nothing would pass too; empty where it would not. `claimed` is the share of drawn cases that its
/// sizes and values allow (claimed_share) and that it did not decline when called, `returned` is what it returned.
inline std::string why_proves_little(double claimed, const Returned& returned) {
  // Right kernels, of T <= 8 and C <= 100 say, leave a quarter of the cases; claims that ask for no computation, such as
  // V = 1, a sixth or less.
  constexpr double least_claimed = 0.2;
  if (!(claimed >= least_claimed))
    return fmt::format(
        "the sizes and values that the kernel declares, and what it declined, leave {:.2g} % of the drawn cases: "
        "expected a fifth, {:g} %, or "
        "more of 400 cases as they are drawn for a kernel that declares no limits; those of an operation, empty "
        "cases, types and options are left out of account",
        100 * claimed, 100 * least_claimed);
  if (!returned.are_one()) return "";
  return fmt::format("every number that the kernel returned is {:g}: one that computes nothing would pass too",
                     returned.first);
}

/// Why a kernel that returns noise would pass too; empty where it would not. Of `results` that were judged, so many are
/// ill-conditioned.
inline std::string why_noise_passes(std::int64_t ill_conditioned, std::int64_t results) {
  constexpr double most = 0.9;
  constexpr std::int64_t fewest = 100;  // of fewer, a share says little
  const double share = static_cast<double>(ill_conditioned) / static_cast<double>(results);
  if (results < fewest || !(share > most)) return "";
  return fmt::format(
      "{:.3g} % of the results are ill-conditioned, so that noise in their place would pass too: give an input "
      "at which the formula's results mean something, or write the formula in a form that does not cancel",
      100 * share);
}

}  // namespace assay::validation
