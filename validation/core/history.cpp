#include "validation/core/history.h"

#include <utility>

namespace assay::validation {

bool fails_alone(const GateSubject& subject, std::size_t property, Counterexample& found) {
  const auto fails = [&](const AnyCase& c) {
    const auto fresh = subject.fresh();
    return is_failure((fresh ? *fresh : subject).judge(property, c).verdict);
  };
  // Twice, for a kernel that cannot be made afresh may fail at every so many calls.
  if (fails(found.problem) && fails(found.problem)) return true;
  const int shrinks = std::exchange(found.shrinks, 0);
  found.problem = found.first;
  found.finding = found.first_finding;
  return shrinks > 0 && fails(found.problem) && fails(found.problem);
}

}  // namespace assay::validation
