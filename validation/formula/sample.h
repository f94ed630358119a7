// A case that is too large for the reference, judged by a sample of the elements of its results: the corners, those beside
// the borders of tiles, and others drawn at random. The kernel computes the whole. Each element of the sample has its exact value
// and its bound from what it is computed from (cone.h).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "validation/core/random.h"
#include "validation/formula/cone.h"
#include "validation/formula/judge.h"

namespace assay::validation::formula {

/// A kernel's tiles may begin at each multiple of it.
inline constexpr std::int64_t width_of_tile = 128;

/// The most work that the reference has with a sample: elements of graphs, products of matrices counted term by term.
inline constexpr double most_sampled = 160e3;

struct Sample {
  Subject subject;    ///< of the formula that gives the sample alone
  Case problem;       ///< the elements of the inputs that the sample needs
  Elements elements;  ///< of the outputs, or of the gradients; of one whose elements each take too much work, none

  /// The sample of a kernel's results.
  Doubles picked(const Doubles& results) const;
};

/// The sample of the outputs, or of the gradients; none where each element of every result takes too much work.
std::optional<Sample> sample_of(const Subject& subject, const Case& c, bool of_gradients);

/// So many elements of an array of this shape, or all. A quarter are corners, and one at least, the last one first.
std::vector<std::int64_t> sampled_elements(const std::vector<std::int64_t>& shape, std::size_t count, Random random);

/// The work of one element: of the result that takes the least, and of the one that takes the most.
std::pair<double, double> work_of_elements(const Traced& traced, bool of_gradients);

}  // namespace assay::validation::formula
