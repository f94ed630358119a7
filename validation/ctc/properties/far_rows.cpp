// Rows whose activations lie past 2^32 elements have the losses that they have in a batch of their own. The rows before
// them are empty, so that their memory is never touched: an offset of 32 bits reads zeros there.
#include <algorithm>
#include <span>
#include <vector>

#include "metal/emulator/memory/zeroed_pages.h"
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

/// The rows of a case behind as many empty rows as it takes.
class FarRows {
 public:
  explicit FarRows(const CtcCase& c)
      : empty_((std::int64_t{1} << 32) / (c.T * c.C) + 1),
        rows_(empty_ + c.B),
        activations_(static_cast<std::size_t>(c.T * rows_ * c.C)),
        input_lengths_(static_cast<std::size_t>(empty_)),
        target_lengths_(input_lengths_),
        targets_(static_cast<std::size_t>(empty_ * c.S)) {
    for (std::int64_t t = 0; t < c.T; ++t)
      std::copy_n(c.activations.begin() + t * c.B * c.C, c.B * c.C, activations_.data() + (t * rows_ + empty_) * c.C);
    input_lengths_.insert(input_lengths_.end(), c.input_lengths.begin(), c.input_lengths.end());
    target_lengths_.insert(target_lengths_.end(), c.target_lengths.begin(), c.target_lengths.end());
    targets_.insert(targets_.end(), c.targets.begin(), c.targets.end());
  }

  /// The losses of the rows of the case.
  std::vector<float> losses(const CtcKernel& kernel, const CtcCase& c) {
    const auto elements = static_cast<std::size_t>(c.T * rows_ * c.C);
    metal::AnyCtcProblem problem{statement_of(c), std::span<const float>(activations_.data(), elements)};
    problem.options.B = rows_;
    problem.options.input_lengths = input_lengths_;
    problem.options.target_lengths = target_lengths_;
    problem.options.targets = targets_;
    std::vector<float> losses(static_cast<std::size_t>(rows_));
    kernel.run(problem, {losses, std::span<float>()}, {});
    return {losses.end() - c.B, losses.end()};
  }

 private:
  std::int64_t empty_;
  std::int64_t rows_;
  metal::emulator::ZeroedPages<float> activations_;
  std::vector<std::int64_t> input_lengths_, target_lengths_, targets_;
};

Finding check(const CtcContext& context, const CtcCase& given) {
  CtcCase c = given;
  c.reduction = Reduction::none;
  c.upstream.clear();
  if (!context.kernel.info().support.takes_views) return Finding::skip("the kernel does not take arrays in place");
  if (c.T * c.C < 1 << 15 || c.dtype != Dtype::float32 || c.layout != CtcTargets::padded)
    return Finding::skip("the case has no rows of 2^15 activations in float32");
  const CtcBounds bounds(c, context.kernel.info());
  const CtcRun near = run_valid(context.kernel, c);
  const std::vector<float> far = FarRows(c).losses(context.kernel, c);
  Comparison comparison;
  for (std::size_t b = 0; b < far.size(); ++b)
    comparison.near({"loss", -1, static_cast<std::int64_t>(b)}, far[b], double{near.loss[b]}, 2 * bounds.loss(b));
  return comparison.finding();
}

}  // namespace

CtcProperty far_rows() {
  return {"far-rows", "the loss of rows past 2^32 activations", {}, check};
}

}  // namespace assay::validation::properties
