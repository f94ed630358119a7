// The record of a property from its report: with pictures, the origin of the error, and the command that leads to a
// failure.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "validation/core/explanation.h"
#include "validation/core/kernel_unavailable.h"
#include "validation/core/report.h"
#include "validation/report/record.h"

namespace assay::validation::detail {

/// Pictures of the kernel's errors on the failing case; none if the kernel or the reference throws again.
template <class Operation>
std::vector<Picture> pictures_of(const Context<Operation>& context, const typename Operation::Case& c) {
  try {
    return Operation::pictures(context.kernel, c, context.digits);
  } catch (const std::exception&) {
    return {};
  }
}

/// The findings of the emulator's numerics when the property is checked once more on the failing case; empty if the
/// kernel is not a shader, or if the emulator cannot run here.
template <class Operation>
Why why_of(const Property<Operation>& property, const Context<Operation>& context, const typename Operation::Case& c) {
  Explanation explanation;
  const auto kernel = context.fresh();
  if (!kernel) return {};
  try {
    judge(property, context.with(*kernel), c);
  } catch (const KernelUnavailable&) {
    return {};
  }
  return explanation.why();
}

/// `unit` is the property's unit that was judged; `command` gives the command that leads to a failure where the failing
/// case passes alone.
template <class Operation>
PropertyRecord record_of(const PropertyReport<Operation>& report, const Context<Operation>& context, std::int64_t unit,
                         const std::function<std::string()>& command) {
  PropertyRecord record{static_cast<const PropertySummary&>(report), std::nullopt};
  if (!report.failure) return record;
  const Failure<Operation>& failure = *report.failure;
  const std::string& kernel = context.kernel.info().name;
  const std::string line = !failure.sequence.empty() ? reproducer<Operation>(report.property, kernel, failure.sequence)
                           : failure.passes_alone    ? command()
                                                     : reproducer<Operation>(report.property, kernel, failure.problem);
  record.failure = FailureRecord{
      unit,           failure.origin,      failure.explanation, line, pictures_of(context, failure.problem),
      failure.margin, failure.first_margin};
  return record;
}

}  // namespace assay::validation::detail
