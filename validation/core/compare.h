// Holds values against values under a bound and keeps the worst of them; every acceptance is `error <= bound`, which
// a NaN does not pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/core/number.h"
#include "validation/core/verdict.h"

namespace assay::validation {

/// Where an element stands: an output, and its indices under their names. Indices below 0 are not there.
/// {"gradient", t, b, k} is gradient[t=, b=, k=], and {"dhidden", n, h, -1, "nh"} is dhidden[n=, h=]; where one index
/// is there alone, it needs no name: loss[3].
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
  /// `got` against `expected`. An infinity or NaN that is expected must come; bound 0 asks for equality.
  void near(const Place& place, float got, double expected, double bound);

  void near(const Place& place, double got, double expected, double bound);

  /// The same against an exact value; a failure shows it to 25 digits.
  void near(const Place& place, float got, const BigFloat& exact, double bound);
  void near(const Place& place, double got, const BigFloat& exact, double bound);

  /// Records a failure that is not about one number.
  void fail(const std::string& why);

  /// The verdict so far: the first failure in full and the number of the others, or the worst margin.
  Finding finding() const;

  /// Records a failure where the two differ in a bit; `what` says what they should have in common. All NaN count as
  /// one: IEEE 754 leaves open which sign and payload an operation gives.
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

  bool anything() const { return compared_ > 0; }

 private:
  template <class Real>
  void hold(const Place& place, Real got, double expected, double bound);
  template <class Real>
  void hold_exact(const Place& place, Real got, const BigFloat& exact, double bound);
  template <class Real>
  void hold_bits(const Place& place, Real first, Real second, const std::string& what);
  template <class Real>
  void same_special(const Place& place, Real got, double expected);
  bool accept(const Place& place, double error, double bound);

  Margin margin_;
  std::string first_failure_;
  std::int64_t failures_ = 0;
  std::int64_t compared_ = 0;
};

}  // namespace assay::validation
