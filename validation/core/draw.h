// The draw of a case that a kernel claims to do: what it says of itself decides, not how it fares.
#pragma once

#include <string>

#include "validation/core/random.h"

namespace assay::validation {

/// A generated case, made to fit what `kernel` claims; drawn again, up to a hundred times, where it still is not
/// claimed. `passed_over(reason)` hears of each of those. The last draw is returned as it is.
template <class Operation, class Profile, class PassedOver>
typename Operation::Case draw_claimed(Random& random, int size, const Profile& profile,
                                      const typename Operation::Kernel& kernel, const PassedOver& passed_over) {
  for (int left = 100;; --left) {
    typename Operation::Case c = Operation::generate(random, size, profile);
    Operation::adapt(kernel, c);
    const std::string reason = Operation::why_not(kernel, c);
    if (reason.empty() || left == 0) return c;
    passed_over(reason);
  }
}

}  // namespace assay::validation
