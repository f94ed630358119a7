// Cases that a kernel claims to do, drawn or given and fitted, and their share. Claims alone decide: no kernel is run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "validation/core/fields.h"
#include "validation/core/random.h"
#include "validation/core/support.h"

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

/// Which share of drawn cases the sizes and values allow that `kernel` declares. Types and options do not count, since
/// right kernels may have few of them, but for wide and tall matrices, which are sizes; nor do cases that are empty, which
/// prove little.
template <class Operation>
double claimed_share(const typename Operation::Kernel& kernel) {
  using Case = typename Operation::Case;
  if constexpr (!HasFields<Case>) {
    return 1;
  } else {
    auto info = kernel.info();
    info.support.dtypes = {Dtype::float32, Dtype::float16, Dtype::bfloat16, Dtype::float64};
    std::erase_if(info.support.declined, [](const auto& key) { return key != "wide" && key != "tall"; });
    const auto is_empty = [](const Case& c) {
      return std::ranges::any_of(claims<typename Case::Fields>(), [&](const auto& one) {
        return std::string_view(one.claim.key) == "empty" && one.asked(c);
      });
    };
    constexpr int draws = 400;
    int drawn = 0, claimed = 0;
    Random random(1);
    for (int i = 0; i < draws; ++i) {
      const Case c = Operation::generate(random, 100 * i / draws, {});
      if (is_empty(c)) continue;
      ++drawn;
      claimed += why_not(info, c).empty() ? 1 : 0;
    }
    return drawn > 0 ? double{1} * claimed / drawn : 1;
  }
}

}  // namespace assay::validation
