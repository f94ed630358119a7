// Whether a case fails by itself, or only after the calls that came before it.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "validation/core/property.h"
#include "validation/core/search.h"

namespace assay::validation {

/// Makes the kernel of that name once more, without a history: in a new process, or with its state as at the start.
template <class Operation>
using FreshKernel = std::function<std::shared_ptr<const typename Operation::Kernel>(const std::string& name)>;

/// The kernel made afresh, or the given one where that cannot be done.
template <class Operation>
std::shared_ptr<const typename Operation::Kernel> fresh_or_same(const FreshKernel<Operation>& fresh,
                                                                const typename Operation::Kernel& kernel) {
  try {
    if (fresh) return fresh(kernel.info().name);
  } catch (const std::exception&) {
    // As good as none: the file of a plug-in may be gone.
  }
  return {std::shared_ptr<void>(), &kernel};
}

/// The end of the explanation of a failure that no case alone shows.
inline constexpr const char* history_text =
    "\n  this case alone passes: the kernel's result depends on earlier calls, or changes from call to call";

/// Judges the shrunk case alone, and if it passes, the case as first met. If that fails alone, it takes the place of
/// the shrunk case. Returns false if both pass: the failure depends on the calls before, and only these lead to it
/// again.
template <class Operation>
bool fails_alone(const Property<Operation>& property, const Context<Operation>& context,
                 const FreshKernel<Operation>& fresh, Counterexample<Operation>& found) {
  const auto fails = [&](const typename Operation::Case& c) {
    const auto kernel = fresh_or_same<Operation>(fresh, context.kernel);
    return is_failure(judge(property, Context<Operation>{*kernel, context.digits, context.memo}, c).verdict);
  };
  // Twice, for a kernel that cannot be made afresh may fail at every so many calls.
  if (fails(found.problem) && fails(found.problem)) return true;
  const int shrinks = std::exchange(found.shrinks, 0);
  found.problem = *found.first;
  found.finding = found.first_finding;
  return shrinks > 0 && fails(found.problem) && fails(found.problem);
}

}  // namespace assay::validation
