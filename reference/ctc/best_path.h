// The most probable alignment (Viterbi): alpha over the semiring of pairs (probability, path), where
//
//   (p, pi) + (q, rho) = the more probable of the two, the first where they are equal
//   (p, pi) * (q, rho) = (p q, pi followed by rho)
//
// Paths are lists that share their beginnings, so a step costs one node: O(T L) of them in all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "reference/ctc/alpha.h"
#include "reference/ctc/labels.h"
#include "reference/matrix.h"
#include "reference/number/traits.h"

namespace assay::reference {

template <class Number>
class BestPath {
 public:
  BestPath() : BestPath(0) {}
  explicit BestPath(int probability) : probability_(probability) {}
  /// The path of one frame that emits class `k`.
  BestPath(Number probability, std::int64_t k) : probability_(std::move(probability)), last_(new Step(k, nullptr)) {}

  BestPath& operator+=(const BestPath& x) {
    if (probability_ < x.probability_) *this = x;
    return *this;
  }
  BestPath& operator*=(const BestPath& x) {
    probability_ *= x.probability_;
    for (const std::int64_t k : x.alignment()) last_ = std::shared_ptr<const Step>(new Step(k, std::move(last_)));
    return *this;
  }

  const Number& probability() const { return probability_; }
  /// The classes emitted, [T].
  std::vector<std::int64_t> alignment() const {
    std::vector<std::int64_t> classes;
    for (const Step* step = last_.get(); step != nullptr; step = step->before.get()) classes.push_back(step->emitted);
    std::reverse(classes.begin(), classes.end());
    return classes;
  }

 private:
  struct Step {
    std::int64_t emitted;
    std::shared_ptr<const Step> before;

    Step(std::int64_t k, std::shared_ptr<const Step> earlier) : emitted(k), before(std::move(earlier)) {}
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    /// Frees the earlier steps one at a time: freeing them recursively would recurse once for each frame.
    ~Step() {
      while (before && before.use_count() == 1) before = std::move(const_cast<Step&>(*before).before);
    }
  };

  Number probability_;
  std::shared_ptr<const Step> last_;
};

/// The most probable alignment of l' [L] under y [T, C], and its probability. Where no alignment has a probability
/// above 0, the probability is 0 and the alignment means nothing.
template <class Number>
BestPath<Number> best_path(const Matrix<Number>& y, Expanded labels) {
  Matrix<BestPath<Number>> steps(y.rows(), y.cols());
  for (std::int64_t t = 0; t < y.rows(); ++t)
    for (std::int64_t k = 0; k < y.cols(); ++k) steps(t, k) = BestPath<Number>(y(t, k), k);
  return alpha_total(alpha(steps, labels));
}

}  // namespace assay::reference
