// The plug-ins of this folder, as built, and what the gate says of them.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "validation/core/subject_of.h"

namespace assay::validation::transport {

inline std::string built(const std::string& name) {
  return std::string(ASSAY_TEST_PLUGINS "/") + name + ".so";
}

/// The report on one property, over a few generated cases.
template <class Operation>
PropertyReport judged(const typename Operation::Kernel& kernel, const std::string& property, int cases = 12) {
  GateOptions options;
  options.cases = cases;
  options.shrink_budget = 10;
  Coverage coverage(class_names<Operation>());
  for (const auto& one : Operation::properties())
    if (one.name == property) return run_property(one, {kernel}, options, coverage);
  ADD_FAILURE() << "there is no property " << property;
  return {};
}

/// What failed of all properties, a line each; empty where all passed.
template <class Operation>
std::string failures(const typename Operation::Kernel& kernel, int cases) {
  std::string text;
  for (const auto& property : Operation::properties()) {
    const auto report = judged<Operation>(kernel, property.name, cases);
    if (report.failure) text += property.name + ": " + report.failure->explanation + "\n";
  }
  return text;
}

}  // namespace assay::validation::transport
