// Judges a kernel's answer to a bad argument: a refusal that names the argument, and no out-of-bounds write.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <span>
#include <string>
#include <string_view>

#include "validation/core/guarded_output.h"
#include "validation/core/kernel_unavailable.h"
#include "validation/core/verdict.h"

namespace assay::validation {

/// One way to make a valid problem, or a run of the problem, invalid.
template <class Case, class Options>
struct BadArgument {
  const char* what;
  const char* named;  ///< the text that the message must contain; "N|H": one of them
  void (*spoil)(Case&, Options&);
};

/// The verdict on the run of a problem with the fault `what`; the message of the refusal must contain one of the texts
/// in `named`, which '|' separates.
Finding judge_refusal(const BasicRun& run, const std::string& what, std::string_view named);

/// Adds `next` to the verdict on earlier bad arguments: all failures are told, a line each.
void add_refusal(Finding& all, const Finding& next);

/// The verdict on `kernel` for the valid problem `good`, spoilt in each of these ways; only up to the first failure if
/// the kernel runs in its caller's process (it is not isolated), which a bad argument may destroy.
template <class Kernel, class Case, class Options>
Finding judge_refusals(const Kernel& kernel, const Case& good,
                       std::span<const BadArgument<Case, Options>> bad_arguments) {
  Finding all = Finding::pass();
  for (const auto& bad : bad_arguments) {
    if (!kernel.info().support.does(bad.named)) continue;  // it is not given this argument
    Case c = good;
    Options options;
    if (is_failure(all.verdict) && !kernel.info().support.is_isolated) break;
    bad.spoil(c, options);
    try {
      add_refusal(all, judge_refusal(run_kernel(kernel, c, options), bad.what, bad.named));
    } catch (const KernelUnavailable&) {
      throw;
    } catch (const std::exception& other) {
      add_refusal(all, Finding::error(fmt::format("  {}: expected a refusal, got: {}", bad.what, other.what())));
    }
  }
  return all;
}

}  // namespace assay::validation
