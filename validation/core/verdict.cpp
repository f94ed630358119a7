#include "validation/core/verdict.h"

#include <algorithm>

namespace assay::validation {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::skipped:
      return "skipped";
    case Verdict::mistrusted:
      return "mistrusted";
    case Verdict::error:
      return "error";
    case Verdict::fail:
      return "fail";
  }
  return "unknown";
}

std::string name_of(SkipCause cause) {
  switch (cause) {
    case SkipCause::other:
      return "other";
    case SkipCause::not_claimed:
      return "not claimed";
    case SkipCause::wrong_kind:
      return "wrong kind";
    case SkipCause::declined:
      return "declined";
    case SkipCause::too_slow:
      return "too slow";
  }
  return "";
}

void Margin::take(double other_share, const std::string& other_place, double other_error) {
  if (other_share <= share) return;
  if (share != share) return;
  share = other_share;
  place = other_place;
  error = other_error;
}

void Finding::take(const Finding& other) {
  if (is_failure(verdict)) return;
  judged.merge(other.judged);
  evidence.merge(other.evidence);
  relative_error = std::max(relative_error, other.relative_error);
  if (!noticed) noticed = other.noticed;
  if (!is_failure(other.verdict)) return margin.take(other.margin);
  verdict = other.verdict;
  margin = other.margin;
  explanation = other.explanation;
  clue = other.clue;
}

}  // namespace assay::validation
