#include "validation/cli/gate_run.h"

namespace assay::validation::detail {
namespace {

void print_worst(const std::vector<PropertySummary>& reports) {
  const PropertySummary* worst = nullptr;
  for (const auto& report : reports) {
    if (worst == nullptr || !(report.worst.share <= worst->worst.share)) worst = &report;
  }
  if (worst == nullptr || worst->worst.share == 0) return;
  fmt::print("  worst margin: {:.4g} of the bound, {} at {} ({})\n", worst->worst.share, worst->property,
             worst->worst.place, worst->worst_case);
}

void print_reservations(const PropertySummary& report) {
  if (report.verdict == Verdict::mistrusted) fmt::print("mistrusted {}:\n{}\n\n", report.property, report.mistrust);
  for (const auto& [reason, count] : report.skipped) {
    if (count == report.cases) fmt::print("skipped {}: {} ({} cases)\n", report.property, reason, count);
  }
}

}  // namespace

int print_conclusion(const std::string& kernel, const std::vector<PropertySummary>& reports, const Coverage& coverage,
                     const std::string& failures) {
  int failed = 0;
  int mistrusted = 0;
  double seconds = 0;
  fmt::print("\n");
  for (const auto& report : reports) {
    failed += is_failure(report.verdict) ? 1 : 0;
    mistrusted += report.verdict == Verdict::mistrusted ? 1 : 0;
    seconds += report.seconds;
    print_reservations(report);
  }
  if (coverage.cases() > 0) fmt::print("{}\n", coverage_text(coverage));
  print_worst(reports);
  fmt::print("{}\n{}: {} of {} properties failed, {} mistrusted, in {:.1f} s\n", failures, kernel, failed,
             reports.size(), mistrusted, seconds);
  return failed + mistrusted;
}

}  // namespace assay::validation::detail
