// Judges a kernel's answer to a bad argument: a refusal that names the argument, and no out-of-bounds write.
#pragma once

#include <span>
#include <string>

#include "validation/core/guarded_output.h"
#include "validation/core/verdict.h"

namespace assay::validation {

/// One way to make a valid problem, or a run of the problem, invalid.
template <class Case, class Options>
struct BadArgument {
  const char* what;
  const char* named;  ///< the text that the message must contain
  void (*spoil)(Case&, Options&);
};

/// The verdict on the run of a problem with the fault `what`; the message of the refusal must contain `named`.
Finding judge_refusal(const BasicRun& run, const std::string& what, const std::string& named);

/// The verdict on `kernel` for the valid problem `good`, spoilt in each of these ways.
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
