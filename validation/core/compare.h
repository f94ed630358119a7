// Compares values under a bound and keeps the worst margin. Every acceptance is `error <= bound`, which a NaN fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "validation/core/exact_values.h"
#include "validation/core/judged.h"
#include "validation/core/number.h"
#include "validation/core/verdict.h"

namespace assay::validation {

/// The place of an element: an output, and the element's indices with their names. An index below 0 is absent.
/// {"gradient", t, b, k} is gradient[t=, b=, k=], and {"dhidden", n, h, -1, "nh"} is dhidden[n=, h=]; a single index
/// is shown without a name: loss[3].
struct Place {
  const char* output;
  std::int64_t first = -1;
  std::int64_t second = -1;
  std::int64_t third = -1;
  const char* names = "tbk";

  std::string text() const;
};

class Comparison {
 public:
  /// `widest`: a result that is off by more than this share of its size is not judged (judged.h).
  explicit Comparison(double widest = no_range) : widest_(widest) {}

  /// Compares `got` with `expected`. If `expected` is infinite or NaN, so must `got` be; bound 0 asks for equality, and
  /// 0 and -0 are equal. `range` is the largest size that the value can have (judged.h).
  void near(const Place& place, float got, double expected, double bound, double range = no_range);

  void near(const Place& place, double got, double expected, double bound, double range = no_range);

  /// Compares `got` with an exact value; a failure shows the exact value to 25 digits.
  void near(const Place& place, float got, const BigFloat& exact, double bound, double range = no_range);
  void near(const Place& place, double got, const BigFloat& exact, double bound, double range = no_range);

  /// Compares `got` with value i of a reference.
  template <class Real>
  void near(const Place& place, Real got, const ExactValues& exact, std::size_t i, double bound,
            double range = no_range) {
    exact.with(i, [&](const auto& value) { hold_exact(place, got, value, bound, range); });
  }

  /// Counts an element that was found right without a difference: one beyond the largest number of its type. Returns
  /// whether it is judged.
  bool count(const Place& place, double bound, double range);

  /// Counts how many digits of a result that is near `value` mean something, and measures its error.
  void weigh(double got, double value, double bound, double roundoff);

  /// Counts `index` among those of which an element has to be judged: of the elements of a frame, say, the decisive
  /// one.
  void must_judge(char letter, std::int64_t index, double bound, double range);

  /// Marks a term of a sum by which the result changes by more than the bound on its error, should the term be left out
  /// or taken twice: by at least `effect`.
  void would_notice(char letter, std::int64_t index, double effect, double bound) {
    if (effect > bound) noticed_.terms.mark(letter, index);
  }

  /// Records a failure that is not about one number.
  void fail(const std::string& why, Clue clue = {});

  /// The verdict so far: the first failure in full and the number of the others, or the worst margin.
  Finding finding() const;

  /// Records the failure `what` if the two values differ in a bit, as 0 and -0 do. All NaN count as equal, because
  /// IEEE 754 leaves open which sign and payload an operation gives.
  void same_bits(const Place& place, float first, float second, const std::string& what);
  void same_bits(const Place& place, double first, double second, const std::string& what);

  /// As above, for each element of two outputs; place_of(i) is the place of element i. Outputs of different sizes,
  /// where one run was not asked for all elements, are not compared.
  template <class Real, class PlaceOf>
  void same_bits(const std::vector<Real>& first, const std::vector<Real>& second, const std::string& what,
                 const PlaceOf& place_of) {
    if (first.size() != second.size()) return;
    for (std::size_t i = 0; i < first.size(); ++i) same_bits(place_of(i), first[i], second[i], what);
  }

  bool anything() const { return judged_.elements > 0; }

 private:
  template <class Real>
  void hold(const Place& place, Real got, double expected, double bound, double range);
  template <class Real, class Exact>
  void hold_exact(const Place& place, Real got, const Exact& exact, double bound, double range);
  template <class Real>
  void hold_bits(const Place& place, Real first, Real second, const std::string& what);
  template <class Real>
  void same_special(const Place& place, Real got, double expected);
  bool accept(const Place& place, double error, double bound, double range, double value);
  bool misses_index() const;

  double widest_;
  Margin margin_;
  std::string first_failure_;
  Clue clue_;  ///< of the first failure
  std::int64_t failures_ = 0;
  Judged judged_;
  Evidence evidence_;
  double relative_error_ = 0;
  MarkedIndices met_, judged_indices_;
  Noticed noticed_;
};

}  // namespace assay::validation
