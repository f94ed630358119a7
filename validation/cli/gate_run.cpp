#include "validation/cli/gate_run.h"

#include <fmt/format.h>

#include <cstdio>

#include "validation/core/terminal.h"
#include "validation/ctc/report.h"

namespace assay::validation {
namespace {

std::vector<const CtcProperty*> chosen(const GateRun& run) {
  std::vector<const CtcProperty*> properties;
  for (const auto& property : ctc_properties()) {
    if (std::regex_search(property.name, run.filter)) properties.push_back(&property);
  }
  return properties;
}

std::string given_text(const GateRun& run) {
  std::string text;
  for (const auto& given : run.options.given) text += fmt::format("{}{}", text.empty() ? "" : ", ", given.name);
  return text;
}

void print_heading(const CtcKernel& kernel, const GateRun& run) {
  fmt::print("assay gate ctc: kernel {}, {} generated cases a property (seed {}), reference at {} digits\n",
             kernel.info().name, run.options.cases, run.options.seed, run.digits);
  if (!run.options.given.empty()) fmt::print("given: {}\n", given_text(run));
  fmt::print("\n{}\n", table_heading());
}

void print_worst(const std::vector<CtcPropertyReport>& reports) {
  const CtcPropertyReport* worst = nullptr;
  for (const auto& report : reports) {
    if (worst == nullptr || !(report.worst.share <= worst->worst.share)) worst = &report;
  }
  if (worst == nullptr || worst->worst.share == 0) return;
  fmt::print("  worst margin: {:.4g} of the bound, {} at {} ({})\n", worst->worst.share, worst->property,
             worst->worst.place, worst->worst_case);
}

/// Counts, coverage, failures; returns the exit status.
int conclude(const CtcKernel& kernel, const std::vector<CtcPropertyReport>& reports, const Coverage& coverage,
             bool colour) {
  int failed = 0;
  int mistrusted = 0;
  double seconds = 0;
  fmt::print("\n");
  for (const auto& report : reports) {
    failed += is_failure(report.verdict) ? 1 : 0;
    mistrusted += report.verdict == Verdict::mistrusted ? 1 : 0;
    seconds += report.seconds;
    if (report.verdict == Verdict::mistrusted) fmt::print("mistrusted {}:\n{}\n\n", report.property, report.mistrust);
    for (const auto& [reason, count] : report.skipped) {
      if (count == report.cases) fmt::print("skipped {}: {} ({} cases)\n", report.property, reason, count);
    }
  }
  if (coverage.cases() > 0) fmt::print("{}\n", coverage_text(coverage));
  print_worst(reports);
  for (const auto& report : reports) {
    if (report.failure) fmt::print("\n{}", failure_text(report, kernel.info().name, colour));
  }
  fmt::print("\n{}: {} of {} properties failed, {} mistrusted, in {:.1f} s\n", kernel.info().name, failed,
             reports.size(), mistrusted, seconds);
  return failed + mistrusted > 0 ? 1 : 0;
}

}  // namespace

int judge_kernel(const CtcKernel& kernel, const GateRun& run) {
  const bool colour = wants_colour(stdout);
  const auto properties = chosen(run);
  if (properties.empty()) {
    fmt::print(stderr, "assay gate: no property matches the filter; `assay gate --list` names them\n");
    return 2;
  }
  print_heading(kernel, run);
  const CtcContext context{kernel, run.digits};
  Coverage coverage;
  std::vector<CtcPropertyReport> reports;
  ProgressBar bar;
  for (const CtcProperty* property : properties) {
    const auto done = static_cast<double>(reports.size());
    const auto total = static_cast<double>(properties.size());
    const double each = static_cast<double>(run.options.cases) + static_cast<double>(run.options.given.size());
    reports.push_back(run_property(*property, context, run.options, coverage,
                                   [&](int cases) { bar.show(done + cases / each, total, property->name); }));
    bar.clear();
    fmt::print("{}\n", table_row(reports.back(), colour));
    std::fflush(stdout);
  }
  return conclude(kernel, reports, coverage, colour);
}

}  // namespace assay::validation
