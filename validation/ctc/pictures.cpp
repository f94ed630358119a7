// Pictures of a kernel's errors on a case: for the first wrong row the lattice of its alignments, and the error of each
// element of its gradient.
#include <cmath>

#include "reference/ctc/alpha.h"
#include "reference/ctc/beta.h"
#include "reference/ctc/labels.h"
#include "validation/core/number.h"
#include "validation/ctc/compare.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

/// The largest case with pictures: for a larger case the reference takes seconds.
constexpr std::size_t max_activations = 20'000;

/// One run of a kernel, with the truth and the bounds.
struct JudgedCase {
  const CtcCase& c;
  CtcTruth truth;
  CtcBounds bounds;
  CtcRun run;

  double share(std::int64_t t, std::int64_t b, std::int64_t k) const {
    const BigFloat exact = truth.gradient[static_cast<std::size_t>((t * c.B + b) * c.C + k)];
    const BigFloat got(run.gradient_at(c, t, b, k));
    if (same_kind(got, exact)) return 0;
    return share_of_bound(absolute_difference(got, exact), gradient_bound(c, bounds, truth, t, b, k));
  }

  bool is_wrong(std::int64_t b) const {
    const auto i = static_cast<std::size_t>(b);
    if (c.reduction == Reduction::none && !same_kind(BigFloat(run.loss[i]), truth.loss[i]) &&
        !(absolute_difference(BigFloat(run.loss[i]), truth.loss[i]) <= bounds.loss(i)))
      return true;
    for (std::int64_t t = 0; t < c.T; ++t)
      for (std::int64_t k = 0; k < c.C; ++k)
        if (!(share(t, b, k) <= 1)) return true;
    return false;
  }
};

/// The first wrong row, or row 0 if no single row is wrong.
std::int64_t row_to_show(const JudgedCase& judged) {
  for (std::int64_t b = 0; b < judged.c.B; ++b)
    if (judged.is_wrong(b)) return b;
  return 0;
}

/// The probability that the alignment is in state s at frame t.
Picture lattice(const JudgedCase& judged, std::int64_t b) {
  const auto& row = judged.truth.rows[static_cast<std::size_t>(b)];
  const auto targets = judged.c.labels(b);
  const auto labels = reference::expand(targets, judged.c.blank);
  const auto forward = reference::alpha(row.y, labels);
  const auto backward = reference::beta_excluding_y(row.y, labels);
  const auto posterior = [&](std::int64_t s, std::int64_t t) {
    return forward(t, s) * backward(t, s) / row.probability;
  };
  return picture_of(fmt::format("posterior of the lattice's states, row {}", b), "state s", "frame t",
                    static_cast<std::int64_t>(labels.size()), row.y.rows(), posterior);
}

}  // namespace

std::vector<Picture> CtcOperation::pictures(const CtcKernel& kernel, const CtcCase& c, int digits) {
  if (c.B == 0 || c.activations.size() > max_activations) return {};
  const JudgedCase judged{c, truth_of(c, digits), CtcBounds(c, kernel.info()), run_valid(kernel, c)};
  const std::int64_t b = row_to_show(judged);
  std::vector<Picture> pictures;
  const auto& row = judged.truth.rows[static_cast<std::size_t>(b)];
  if (row.possible && row.probability > 0) pictures.push_back(lattice(judged, b));
  pictures.push_back(picture_of(fmt::format("error of the gradient as a share of its bound, row {}", b), "class k",
                                "frame t", c.C, c.T,
                                [&](std::int64_t k, std::int64_t t) { return judged.share(t, b, k); }));
  return pictures;
}

}  // namespace assay::validation
