// Checks an any-precision reference by a second computation with more digits, and remembers its results.
//
// Large cases are computed once, in long double of 64 bits. The bound on a kernel's errors (docs/bounds.md), derived
// for any unit roundoff u, holds for that computation with u = 2^-64: its errors are at most 2^-11 of the bound on a
// kernel with u >= 2^-53.
#pragma once

#include <cstddef>
#include <future>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "validation/core/equality.h"
#include "validation/core/exact_values.h"
#include "validation/core/fields.h"
#include "validation/core/known.h"

namespace assay::validation {

/// The reference at two precisions differed by more than the lower one claims.
class ReferenceDisagrees : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The digits that ask for long double; 0 where that type has fewer than 64 bits.
inline constexpr int long_double_digits = std::numeric_limits<long double>::digits == 64 ? 19 : 0;

/// The digits of a reference unless the user asks for others.
inline constexpr int default_digits = 50;

/// The number of elements from which a case is large.
inline constexpr std::size_t large_case = 4096;

/// What the two functions return. They run at the same time if that is worth a thread, and if there is one.
template <class First, class Second>
auto both(bool at_once, const First& first, const Second& second) {
  auto beside = std::async(at_once ? std::launch::async | std::launch::deferred : std::launch::deferred, first);
  auto here = second();
  return std::pair(beside.get(), std::move(here));
}

/// The number of elements from which the parts of a reference are computed at the same time.
inline constexpr std::size_t worth_a_thread = 256;

/// How many more digits the second computation of a truth has.
inline constexpr int extra_digits = 20;

/// Throws ReferenceDisagrees unless the values at `digits` digits and at more are of the same kinds and differ by at
/// most 10^(10 - digits), or that share of a value above 1. `what` names them.
void require_same(const ExactValues& low, const ExactValues& high, int digits, const char* what);

/// The number of elements of a case's arrays of its dtype.
template <HasFields Case>
std::size_t elements_of_dtype(const Case& c) {
  std::size_t count = 0;
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row> && is_of_dtype<Row>) count += (c.*row.in_case).size();
  });
  return count;
}

/// Remembers the truths of the latest cases, since properties that follow each other are judged on the same cases.
template <class Operation>
class TruthMemo {
 public:
  using Case = typename Operation::Case;
  using Truth = typename Operation::Truth;

  /// The cases and their truths take up to about `bytes`; a case that needs more is computed anew.
  explicit TruthMemo(std::size_t bytes = std::size_t{64} << 20) : known_(bytes) {}

  std::shared_ptr<const Truth> truth_of(const Case& c, int digits) {
    const std::size_t hash = hash_of_arrays(c);
    const auto is = [&](const auto& key) { return key.second == digits && key.first == c; };
    if (auto known = known_.find(hash, is)) return known;
    auto truth = std::make_shared<const Truth>(Operation::truth_of(c, digits));
    known_.add(hash, {c, digits}, truth, bytes_of(c, digits));
    return truth;
  }

 private:
  /// About: of each element its value in the case and in the truth, and sizes in double that bounds need.
  static std::size_t bytes_of(const Case& c, int digits) {
    const std::size_t more = digits > 96 ? static_cast<std::size_t>(digits) / 2 : 0;  // stored outside the number
    const std::size_t exact = digits == long_double_digits ? sizeof(long double) : sizeof(BigFloat) + more;
    return 1000 + elements_of_dtype(c) * (3 * sizeof(double) + exact);
  }

  Known<std::pair<Case, int>, Truth> known_;
};

}  // namespace assay::validation
