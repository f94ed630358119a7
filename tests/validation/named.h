// What the tests of every operation's gate share: properties and faults by name, reports on them, and results to spoil.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "validation/core/any_span.h"
#include "validation/core/subject_of.h"
#include "validation/registry.h"

namespace assay::validation {

/// The property, or the fault, of that name.
template <class Named>
const Named& named(const std::vector<Named>& all, const std::string& name) {
  for (const Named& one : all)
    if (one.name == name) return one;
  throw std::invalid_argument("there is no '" + name + "'");
}

/// Whether the property asks something of kernels in Python alone (tests/python/test_strides.py has its faults).
inline bool needs_python(const std::string& property) {
  return property == "strides";
}

/// The report of a property on given cases, on `cases` generated ones, and on needle cases as far as `reach` goes;
/// shrunk nowhere.
template <class Operation>
PropertyReport report_on(const typename Operation::Kernel& kernel, const std::string& property, int cases,
                         Reach reach = Reach::none, std::vector<GivenCase> given = {}) {
  Coverage coverage(class_names<Operation>());
  const GateOptions options{.cases = cases, .shrink_budget = 0, .given = std::move(given), .reach = reach};
  const Context<Operation> context{.kernel = kernel, .fresh_kernel = kernel_called<Operation>};
  return run_property(named(Operation::properties(), property), context, options, coverage);
}

/// Why a property did not pass.
inline std::string failure_text(const PropertyReport& report) {
  return report.failure ? report.failure->explanation : report.why_mistrusted();
}

/// Letters, digits and underscores alone: a name as googletest takes it.
inline std::string test_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace assay::validation
