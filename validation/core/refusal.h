// What is due to a bad argument: a refusal that names it, and nothing touched on the way.
#pragma once

#include <span>
#include <string>

#include "validation/core/guarded_output.h"
#include "validation/core/verdict.h"

namespace assay::validation {

/// One way to spoil a healthy problem, or how it is run.
template <class Case, class Options>
struct BadArgument {
  const char* what;
  const char* named;  ///< what the message must speak of
  void (*spoil)(Case&, Options&);
};

/// The verdict on the run of a problem of which `what` is wrong; the refusal must speak of `named`.
Finding judge_refusal(const BasicRun& run, const std::string& what, const std::string& named);

/// The verdict on `kernel`, run on `good` spoilt in each of these ways.
template <class Kernel, class Case, class Options>
Finding judge_refusals(const Kernel& kernel, const Case& good,
                       std::span<const BadArgument<Case, Options>> bad_arguments) {
  for (const auto& bad : bad_arguments) {
    Case c = good;
    Options options;
    bad.spoil(c, options);
    Finding finding = judge_refusal(run_kernel(kernel, c, options), bad.what, bad.named);
    if (is_failure(finding.verdict)) return finding;
  }
  return Finding::pass();
}

}  // namespace assay::validation
