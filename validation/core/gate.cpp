#include "validation/core/gate.h"

namespace assay::validation {

void PropertySummary::record(const Finding& finding, const std::string& origin) {
  ++cases;
  if (finding.verdict == Verdict::skipped) ++skipped[finding.explanation];
  if (finding.verdict == Verdict::mistrusted) mistrust = finding.explanation;
  if (is_failure(finding.verdict)) return;
  if (finding.margin.share > worst.share) worst_case = origin;
  worst.take(finding.margin);
}

void PropertySummary::settle() {
  if (cases == 0) skipped["there was no case to judge it on"] = 0;
  int total = 0;
  for (const auto& [reason, count] : skipped) total += count;
  if (!mistrust.empty()) {
    verdict = Verdict::mistrusted;
  } else if (total == cases) {
    verdict = Verdict::skipped;
  }
}

}  // namespace assay::validation
