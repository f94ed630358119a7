#include "validation/formula/run.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "validation/core/printable.h"
#include "validation/core/report.h"
#include "validation/report/judged_text.h"
#include "validation/report/reach_text.h"

namespace assay::validation::formula {
namespace {

std::string to_text(const GateRecord& record, const Truths& truths, const std::vector<std::string>& hidden) {
  std::string text = fmt::format("{} of {}\n{}\n", record.question.kernel, record.question.operation, table_heading());
  if (judged_nothing(record)) text = fmt::format("{}\n{}", advice_on_nothing, text);
  for (const auto& property : record.properties) text += table_row(property, false) + "\n";
  text += judged_text(record) + coverage_text(record.coverage) + "\n" + reach_text(record);
  const auto& [certified, compared, undeclared] = truths;
  if (certified + compared > 0)
    text += fmt::format("  {} truths proven by enclosures, {} equal at two precisions\n", certified, compared);
  for (const auto& [what, share] : undeclared)
    text += fmt::format("  {}: of the bound without what is declared, errors would use {}\n", what,
                        std::isinf(share) ? "more than all" : fmt::format("{:.1f} %", 100 * share));
  for (const auto& line : hidden) text += "    " + line + "; the others hide in its bound\n";
  for (const auto& property : record.properties) {
    if (property.verdict == Verdict::mistrusted)
      text += fmt::format("  mistrusted {}:\n{}\n", property.property, property.mistrust);
    for (const auto& [reason, count] : property.skipped)
      if (count > 0) text += fmt::format("  {}: {} cases skipped: {}\n", property.property, count, reason);
    if (!property.failure) continue;
    const FailureRecord& failure = *property.failure;
    text += "\n" + detail::failure_text(property, failure.origin, errors_text(failure.first_margin, failure.margin),
                                        failure.explanation, failure.reproducer, false);
  }
  return printable(text);
}

}  // namespace

RunResult run(const Subject& subject, const GateRun& run, const FormulaGateSubject::Shortened& shortened) {
  const FormulaGateSubject gated(subject, shortened);
  *subject.truths = {};
  RunResult result{run_gate(gated, run), ""};
  result.text = to_text(result.record, *subject.truths, gated.hidden());
  return result;
}

}  // namespace assay::validation::formula
