// Finds what is wrong with the lengths, the blank and the labels of one row, without its activations.
//
//   0 <= input_lengths[b] <= T      0 <= target_lengths[b]      labels in [0, C) other than blank
//   input_lengths[b] >= S_b + repeats, because a blank must separate two equal labels (Graves et al. 2006, section 3.1)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "validation/ctc/case.h"
#include "validation/ctc/diagnosis/symptom.h"

namespace assay::validation {

/// The labels of row b, valid or not; none if the lengths do not tell where they are.
std::optional<std::span<const std::int64_t>> locate_labels(const CtcCase& c, std::int64_t b);

/// The number of frames of row b that exist: input_lengths[b], clamped to [0, T].
std::int64_t frames_present(const CtcCase& c, std::int64_t b);

std::vector<Symptom> examine_statement(const CtcCase& c, std::int64_t b);

}  // namespace assay::validation
