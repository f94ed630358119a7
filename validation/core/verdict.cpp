#include "validation/core/verdict.h"

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

void Margin::take(double other_share, const std::string& other_place, double other_error) {
  if (other_share <= share) return;
  if (share != share) return;
  share = other_share;
  place = other_place;
  error = other_error;
}

}  // namespace assay::validation
