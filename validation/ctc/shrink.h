// Smaller problems to try once one has failed: structure first (rows, frames, labels, classes, options), then values
// towards zero and few bits.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "validation/ctc/case.h"

namespace assay::validation {

/// A way to make a case simpler; nothing where it does not apply or would change nothing.
using CtcShrink = std::function<std::optional<CtcCase>()>;

/// The steps to try on `c`, the boldest first. Every result is a valid problem that differs from `c`.
std::vector<CtcShrink> shrinks_of(const CtcCase& c);

}  // namespace assay::validation
