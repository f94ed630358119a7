// What is wrong with lengths, blank and labels of one row, before any activation is looked at.
//
//   0 <= input_lengths[b] <= T      0 <= target_lengths[b]      labels in [0, C) other than blank
//   input_lengths[b] >= S_b + repeats, for a blank must part two equal labels (Graves et al. 2006, section 3.1)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "validation/ctc/case.h"
#include "validation/ctc/diagnosis/symptom.h"

namespace assay::validation {

/// The labels of row b, whatever their values; none where lengths do not say where they are.
std::optional<std::span<const std::int64_t>> locate_labels(const CtcCase& c, std::int64_t b);

/// Labels that equal the label before.
std::int64_t count_repeats(std::span<const std::int64_t> labels);

/// The frames of row b that there are: input_lengths[b] held within [0, T].
std::int64_t frames_present(const CtcCase& c, std::int64_t b);

std::vector<Symptom> examine_statement(const CtcCase& c, std::int64_t b);

}  // namespace assay::validation
