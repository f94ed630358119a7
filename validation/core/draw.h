// A case that a kernel claims to do: a drawn one, or a given one that is fitted. Claims alone decide: no kernel is run.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include "validation/core/fields.h"
#include "validation/core/random.h"

namespace assay::validation {

/// Adapts a case that was made by hand to the claims of `kernel`. A choice that says nothing about the other fields
/// (Choice::resets), such as the variable of a gradient, becomes the first that the kernel claims, unless it claims the
/// case's own.
template <class Operation>
void fit_to_claims(const typename Operation::Kernel& kernel, typename Operation::Case& c) {
  using Case = typename Operation::Case;
  Operation::adapt(kernel, c);
  if constexpr (HasFields<Case>)
    for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
      if constexpr (IsChoice<Row>) {
        const auto claims = [&](std::size_t value) {
          const char* const key = row.declinable[value].key;
          return key == nullptr || kernel.info().support.does(key);
        };
        if (!row.resets || claims(static_cast<std::size_t>(c.*row.in_case))) return;
        for (std::size_t value = row.declinable.size(); value-- > 0;)
          if (claims(value)) c.*row.in_case = static_cast<std::remove_cvref_t<decltype(c.*row.in_case)>>(value);
      }
    });
}

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
