// Draws a case that a kernel claims to do. The kernel's claims alone decide: the kernel is not run.
#pragma once

#include <string>

#include "validation/core/random.h"

namespace assay::validation {

/// Generates a case and adapts the case to the claims of `kernel`. If `kernel` still does not claim the case, draws
/// again, up to a hundred times, after a call of passed_over(reason). Returns the last draw whether claimed or not.
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
