// One kernel through every property, shown as it goes.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <regex>
#include <string>
#include <vector>

#include "validation/core/gate.h"
#include "validation/core/report.h"
#include "validation/core/terminal.h"

namespace assay::validation {

template <class Operation>
struct GateRun {
  GateOptions<Operation> options;
  std::regex filter;  ///< searched for in a property's name; empty matches all
  int digits = 50;
};

namespace detail {

/// What is said once all properties have been judged, but for the failures themselves. Returns how many properties
/// failed or are not to be trusted.
int print_conclusion(const std::string& kernel, const std::vector<PropertySummary>& reports, const Coverage& coverage,
                     const std::string& failures);

template <class Operation>
std::vector<const Property<Operation>*> chosen(const std::regex& filter) {
  std::vector<const Property<Operation>*> properties;
  for (const auto& property : Operation::properties())
    if (std::regex_search(property.name, filter)) properties.push_back(&property);
  return properties;
}

template <class Operation>
void print_heading(const std::string& kernel, const GateRun<Operation>& run) {
  fmt::print("assay gate {}: kernel {}, {} generated cases a property (seed {}), reference at {} digits\n",
             Operation::name, kernel, run.options.cases, run.options.seed, run.digits);
  std::string given;
  for (const auto& one : run.options.given) given += (given.empty() ? "" : ", ") + one.name;
  if (!given.empty()) fmt::print("given: {}\n", given);
  fmt::print("\n{}\n", table_heading());
}

}  // namespace detail

/// Prints the table row by row, then coverage, failures and the lines that reproduce them.
/// Returns the exit status: 0 all passed, 1 something failed, 2 nothing matched the filter.
template <class Operation>
int judge_kernel(const typename Operation::Kernel& kernel, const GateRun<Operation>& run) {
  const bool colour = wants_colour(stdout);
  const auto properties = detail::chosen<Operation>(run.filter);
  if (properties.empty()) {
    fmt::print(stderr, "assay gate: no property matches the filter; `assay gate {} --list` names them\n",
               Operation::name);
    return 2;
  }
  const std::string& name = kernel.info().name;
  detail::print_heading(name, run);
  const Context<Operation> context{kernel, run.digits};
  Coverage coverage(Operation::classes());
  std::vector<PropertySummary> summaries;
  std::string failures;
  ProgressBar bar;
  for (const auto* property : properties) {
    const auto done = static_cast<double>(summaries.size());
    const auto total = static_cast<double>(properties.size());
    const double each = static_cast<double>(run.options.cases) + static_cast<double>(run.options.given.size());
    const auto report = run_property(*property, context, run.options, coverage,
                                     [&](int cases) { bar.show(done + cases / each, total, property->name); });
    bar.clear();
    fmt::print("{}\n", table_row(report, colour));
    std::fflush(stdout);
    if (report.failure) failures += "\n" + failure_text(report, name, colour);
    summaries.push_back(report);
  }
  return detail::print_conclusion(name, summaries, coverage, failures) > 0 ? 1 : 0;
}

}  // namespace assay::validation
