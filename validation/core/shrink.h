// Simpler cases to try once one has failed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace assay::validation {

/// A way to make a case simpler; nothing where it does not apply or would change nothing.
template <class Case>
using Shrink = std::function<std::optional<Case>()>;

/// The case with `change` made to it.
template <class Case, class Change>
Shrink<Case> shrink_step(const std::shared_ptr<const Case>& from, Change change) {
  return [from, change]() -> std::optional<Case> {
    Case c = *from;
    change(c);
    if (c == *from) return std::nullopt;
    return c;
  };
}

/// The step, where what it gives is a problem: require_valid(case) does not throw std::invalid_argument.
template <class Case>
Shrink<Case> valid_only(Shrink<Case> step) {
  return [step = std::move(step)]() -> std::optional<Case> {
    auto smaller = step();
    if (!smaller) return std::nullopt;
    try {
      require_valid(*smaller);
    } catch (const std::invalid_argument&) {
      return std::nullopt;
    }
    return smaller;
  };
}

/// [0, count) without [first, last).
inline std::vector<std::int64_t> all_but(std::int64_t count, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < count; ++i)
    if (i < first || i >= last) kept.push_back(i);
  return kept;
}

/// Calls drop(first, last) for halves, quarters and so on of [0, count) down to single ones, few of which are tried
/// where there are many.
template <class Drop>
void for_each_part(std::int64_t count, Drop drop) {
  for (std::int64_t width = (count + 1) / 2; width >= 1; width /= 2) {
    std::int64_t parts = 0;
    for (std::int64_t first = 0; first < count && parts < 32; first += width, ++parts)
      drop(first, std::min(count, first + width));
  }
}

}  // namespace assay::validation
