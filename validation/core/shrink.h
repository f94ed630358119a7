// Simpler cases to try once one has failed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

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

}  // namespace assay::validation
