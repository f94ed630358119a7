// Inputs that are views of other arrays: a function in Python is given them with strides, and must not take them for
// contiguous.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "validation/core/layouts.h"
#include "validation/core/properties.h"
#include "validation/core/shrink.h"

namespace assay::validation {

/// The kernel, whose inputs lie in memory as a layout says.
template <class O>
class WithLayout final : public O::Kernel {
 public:
  WithLayout(const typename O::Kernel& kernel, int layout) : kernel_(kernel), layout_(layout) {}

  const typename O::Info& info() const override { return kernel_.info(); }

  void run(const typename O::Problem& problem, const typename O::Output& out,
           const typename O::Request& request) const override {
    auto with_layout = request;
    with_layout.layout = layout_;
    kernel_.run(problem, out, with_layout);
  }

 private:
  const typename O::Kernel& kernel_;
  int layout_;
};

/// The results in one layout have the bits of the contiguous run, or else `judges` hold them to their bounds.
template <class O>
Finding judge_layout(const std::vector<Property<O>>& judges, const Context<O>& context, const typename O::Case& c,
                     const typename O::Run& contiguous, int layout) {
  const WithLayout<O> kernel(context.kernel, layout);
  const Property<O> bits{"bits", "", {}, [&](const Context<O>& with_layout, const typename O::Case& same) {
                           return same_bits(same, contiguous, run_valid(with_layout.kernel, same), "");
                         }};
  Finding finding = judge(bits, context.with(kernel), c);
  if (finding.verdict == Verdict::fail) {
    finding = Finding::pass();
    for (const Property<O>& property : judges) finding.take(judge(property, context.with(kernel), c));
  }
  if (is_failure(finding.verdict))
    finding.explanation = fmt::format("  with inputs that lie {}:\n{}", words_of_layout(layout), finding.explanation);
  return finding;
}

/// The case whose arrays of its type repeat their first part along the first axis, as a view with a stride of 0 does.
/// None where that is no valid problem: what a case allows at its first part alone, such as infinities of a token that is
/// ignored.
template <HasFields Case>
std::optional<Case> with_equal_parts(Case c) {
  const auto statement = statement_of(c);
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row> && is_of_dtype<Row>)
      repeat_first_part(c.*row.in_case,
                        extent_of<typename Case::Fields>(names_in(row.shape.of(statement)).front(), statement));
  });
  return valid_only<Case>([&] { return std::optional<Case>(c); })();
}

/// `judges` hold results to their bounds.
template <class O>
Property<O> strides(const std::vector<Property<O>>& judges) {
  return {"strides",
          "views of other arrays as inputs give the results",
          {},
          [judges](const Context<O>& context, const typename O::Case& c) {
            if (!context.kernel.info().support.takes_strides)
              return Finding::skip("the kernel is given contiguous arrays");
            const auto contiguous = run_valid(context.kernel, c);
            Finding all = Finding::skip("the kernel does no layout but the contiguous one");
            const auto take = [&](const Finding& finding) {
              if (finding.verdict == Verdict::skipped) return;  // as torch.from_numpy declines negative strides
              if (all.verdict == Verdict::skipped) all = Finding::pass();
              all.take(finding);
            };
            for (int layout = 1; layout < layouts; ++layout)
              if (!repeats(layout)) take(judge_layout<O>(judges, context, c, contiguous, layout));
            const auto equal = with_equal_parts(c);
            if (equal && O::why_not(context.kernel, *equal).empty())
              take(judge_layout<O>(judges, context, *equal, run_valid(context.kernel, *equal), repeated_rows));
            return all;
          }};
}

}  // namespace assay::validation
