// Bounds on the rounding errors of sums, in every order of the additions. Derivations: docs/bounds.md, "Sums".
#pragma once

#include <limits>
#include <span>
#include <vector>

namespace assay::validation {

/// gamma(n) = n u / (1 - n u), or infinity if n u >= 1   (Higham 2002, lemma 3.1)
double gamma(double operations, double unit_roundoff);

/// N such that a sum of numbers of these magnitudes is off by at most gamma(N) times `total`, if each addition rounds
/// to nearest. `total`: the sum of the magnitudes. N is at most the number of magnitudes above 0.
double effective_terms(std::span<const double> sizes, double total, double unit_roundoff);

/// One term of a log-sum-exp: exp(argument) is `share` of the sum.
struct Exponential {
  double argument = 0;
  double share = 0;
};

/// What an online log-sum-exp does when its maximum changes: it rescales the sum so far.
struct Rescaling {
  double cost = 0;  ///< of an exponential and a product, in units of roundoff
  double unit_roundoff = 0;
  bool may_break_ties = false;                                   ///< equal arguments may differ after rounding
  double max_changes = std::numeric_limits<double>::infinity();  ///< of the maximum after one term
};

/// The relative error of the sum from rescaling, in units of roundoff. The maximum changes after a term at most once
/// for each larger argument. Sorts `terms`.
double rescaling_error(std::vector<Exponential>& terms, const Rescaling& rescaling);

/// The largest power of two q that divides all of some numbers.
class Grid {
 public:
  void add(double x);  ///< finite

  /// Whether multiples of q up to `size` in magnitude are numbers of the arithmetic. Sums of such numbers are exact in
  /// every order if `size` is the sum of the magnitudes; differences, if it is the largest one.
  bool is_exact(double size, double unit_roundoff) const;

 private:
  int exponent_ = std::numeric_limits<int>::max();  ///< of q
};

}  // namespace assay::validation
