// The algebraic twin of a formula and a kernel (docs/algebra.md): the formula's results and the kernel's, as residues,
// are equal or not, without a tolerance.
#pragma once

#include <string>
#include <vector>

#include "reference/formula/followed.h"
#include "validation/formula/judge.h"

namespace assay::validation::formula {

/// Results that are the formula's or are not; the kernel's residues may say nothing of some of them.
struct AlgebraResult {
  std::int64_t equal = 0, undecided = 0;
  std::string why_undecided;  ///< of the first one
  struct Difference {
    std::size_t result = 0, element = 0;
    reference::Followed due, got;
    std::string explanation;  ///< "lacks the term 3 of the sum in line 4"
  };
  std::optional<Difference> difference = {};
  std::string left = {};  ///< why the kernel could not be followed at all

  /// What is said of results that are beyond a bound, in words.
  std::string verdict() const;
};

/// Judges the subject's outputs and gradients, as far as it has kernels for them.
AlgebraResult algebra_of(const Subject& subject, const Case& c);

/// The verdicts of the algebra and of the bound on a case, in a line.
std::string algebra_beside_bound(const Subject& subject, const Case& c);

Finding algebra(const Subject& subject, const Case& c, Random& random);

/// The largest extents of this property's cases, unless a limit is declared: no digits are computed.
inline constexpr std::int64_t algebra_limit = 131'073;

}  // namespace assay::validation::formula
