#include "validation/core/history.h"

#include <utility>

namespace assay::validation {

bool fails_alone(const GateSubject& subject, std::size_t property, Counterexample& found) {
  // Twice, for a kernel that cannot be made afresh may fail at every so many calls.
  const auto fails = [&](const AnyCase& c) {
    for (int times = 0; times < 2; ++times) {
      const auto fresh = subject.fresh();
      if (!is_failure((fresh ? *fresh : subject).judge(property, c).verdict)) return false;
    }
    return true;
  };
  if (fails(found.problem)) return true;
  const int shrinks = std::exchange(found.shrinks, 0);
  found.problem = found.first;
  found.finding = found.first_finding;
  return shrinks > 0 && fails(found.problem);
}

}  // namespace assay::validation
