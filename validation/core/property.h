// A property of kernels: a claim, a profile of the cases to generate, and a check that gives a verdict on one case.
// validation/core/operation.h describes the template parameter Operation.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "validation/core/finding_of.h"
#include "validation/core/support.h"
#include "validation/core/truth.h"
#include "validation/core/verdict.h"

namespace assay::validation {

/// Makes the kernel of that name once more, without a history: in a new process, or with its state as at the start.
template <class Operation>
using FreshKernel = std::function<std::shared_ptr<const typename Operation::Kernel>(const std::string& name)>;

/// The kernel to judge, and the reference at `digits` digits, which remembers truths that are slow to compute.
template <class Operation>
struct Context {
  const typename Operation::Kernel& kernel;
  int digits = default_digits;
  std::shared_ptr<TruthMemo<Operation>> memo = std::make_shared<TruthMemo<Operation>>();
  FreshKernel<Operation> fresh_kernel = {};  ///< empty where the kernel cannot be made once more

  /// The kernel made afresh; null where that cannot be done: the file of a plug-in may be gone.
  std::shared_ptr<const typename Operation::Kernel> fresh() const {
    try {
      return fresh_kernel ? fresh_kernel(kernel.info().name) : nullptr;
    } catch (const std::exception&) {
      return nullptr;
    }
  }

  /// The same with another kernel, which has no history.
  Context with(const typename Operation::Kernel& other) const {
    return {.kernel = other, .digits = digits, .memo = memo, .fresh_kernel = fresh_kernel};
  }

  std::shared_ptr<const typename Operation::Truth> truth_of(const typename Operation::Case& c) const {
    const bool suffices = Operation::takes_long_double && long_double_digits > 0 && digits <= default_digits &&
                          elements_of_dtype(c) >= large_case && kernel.info().unit_roundoff >= 0x1p-53;
    return memo->truth_of(c, suffices ? long_double_digits : digits);
  }
};

/// The truth of a case and the bounds on a kernel's errors, computed at the same time.
template <class Bounds, class Operation, class... More>
auto truth_and_bounds(const Context<Operation>& context, const typename Operation::Case& c, const More&... more) {
  return both(
      elements_of_dtype(c) >= worth_a_thread, [&] { return context.truth_of(c); },
      [&] { return Bounds(c, context.kernel.info(), more...); });
}

template <class Operation>
struct Property {
  std::string name;
  std::string claim;  ///< one line
  typename Operation::Profile profile;
  std::function<Finding(const Context<Operation>&, const typename Operation::Case&)> check;
  bool against_reference = false;  ///< compares with the reference, which is worth seconds on large cases
  bool is_far = false;             ///< about arrays past 2^32 elements, which needle cases alone lead to
};

/// The verdict on one case: skipped if the kernel does not claim to do the case; otherwise what the check finds.
template <class Operation>
Finding judge(const Property<Operation>& property, const Context<Operation>& context,
              const typename Operation::Case& c) {
  if (std::string reason = Operation::why_not(context.kernel, c); !reason.empty())
    return Finding::skip(std::move(reason), SkipCause::not_claimed);
  return finding_of([&] { return property.check(context, c); });
}

}  // namespace assay::validation
