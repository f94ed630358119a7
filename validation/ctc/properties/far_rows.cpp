// Rows whose activations and gradients lie past 2^32 elements have the results that they have in a batch of their own.
// The rows before them are empty: their activations are never touched, so that an offset of 32 bits reads zeros there,
// and their gradients are zeros that nobody reads (core/far_pages.h).
#include <algorithm>
#include <span>
#include <vector>

#include "validation/core/far_floats.h"
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

/// The least activations of a row: of smaller rows, there would be too many.
constexpr std::int64_t large_row = 1 << 18;

/// The rows of a case behind as many empty rows as it takes.
class FarRows {
 public:
  explicit FarRows(const CtcCase& c)
      : empty_((std::int64_t{1} << 32) / (c.T * c.C) + 1),
        rows_(empty_ + c.B),
        elements_(static_cast<std::size_t>(c.T * rows_ * c.C)),
        frames_{static_cast<std::size_t>(empty_ * c.C), static_cast<std::size_t>(c.B * c.C),
                static_cast<std::size_t>(rows_ * c.C), static_cast<std::size_t>(c.T)},
        activations_(elements_, frames_),
        input_lengths_(static_cast<std::size_t>(empty_)),
        target_lengths_(input_lengths_),
        targets_(static_cast<std::size_t>(empty_ * c.S)) {
    for (std::size_t t = 0; t < frames_.count; ++t)
      std::copy_n(c.activations.begin() + static_cast<std::ptrdiff_t>(t * frames_.size), frames_.size,
                  activations_.part(t).begin());
    input_lengths_.insert(input_lengths_.end(), c.input_lengths.begin(), c.input_lengths.end());
    target_lengths_.insert(target_lengths_.end(), c.target_lengths.begin(), c.target_lengths.end());
    targets_.insert(targets_.end(), c.targets.begin(), c.targets.end());
  }

  /// The results of the rows of the case.
  CtcRun results(const CtcKernel& kernel, const CtcCase& c) {
    metal::AnyCtcProblem problem{statement_of(c), std::span<const float>(activations_.view())};
    problem.options.B = rows_;
    problem.options.input_lengths = input_lengths_;
    problem.options.target_lengths = target_lengths_;
    problem.options.targets = targets_;
    const FarFloats gradient(elements_, frames_);
    CtcRun run;
    run.loss.resize(static_cast<std::size_t>(rows_));
    kernel.run(problem, {run.loss, gradient.view()}, {});
    run.loss.erase(run.loss.begin(), run.loss.end() - c.B);
    for (std::size_t t = 0; t < frames_.count; ++t) {
      const auto frame = gradient.part(t);
      run.gradient.insert(run.gradient.end(), frame.begin(), frame.end());
    }
    return run;
  }

 private:
  std::int64_t empty_;
  std::int64_t rows_;
  std::size_t elements_;
  FarParts frames_;  ///< of the rows of the case
  FarFloats activations_;
  std::vector<std::int64_t> input_lengths_, target_lengths_, targets_;
};

Finding check_far_rows(const CtcContext& context, const CtcCase& given) {
  CtcCase c = given;
  c.reduction = Reduction::none;
  c.upstream.clear();
  if (!context.kernel.info().support.takes_views) return Finding::not_claimed("take arrays in place");
  if (c.T * c.C < large_row || c.dtype != Dtype::float32 || c.layout != CtcTargets::padded)
    return Finding::skip("the case has no rows of 2^18 activations in float32", SkipCause::wrong_kind);
  const CtcBounds bounds(c, context.kernel.info());
  const CtcRun near = run_valid(context.kernel, c);
  const CtcRun far = FarRows(c).results(context.kernel, c);
  Comparison comparison;
  for (std::int64_t b = 0; b < c.B; ++b) {
    const auto row = static_cast<std::size_t>(b);
    comparison.near({"loss", -1, b}, far.loss[row], double{near.loss[row]}, 2 * bounds.loss(row));
  }
  compare_gradients(comparison, c, bounds, far, near, 2);
  return comparison.finding();
}

}  // namespace

CtcProperty far_rows() {
  return {.name = "far-rows",
          .claim = "loss and gradient of rows past 2^32 elements",
          .profile = {},
          .check = check_far_rows,
          .is_far = true};
}

}  // namespace assay::validation::properties
