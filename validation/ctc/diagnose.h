// What is wrong with a CTC batch whose loss is inf or NaN, row by row and in plain words.
//
// For each row: lengths, labels, frames needed (S + repeats), activations, and where all of these are in order the loss
// to any number of digits. A row is judged by itself: what is wrong with one says nothing about another, unless they
// share it (the blank, the lengths that tell where concatenated labels begin).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "validation/ctc/case.h"
#include "validation/ctc/diagnosis/symptom.h"

namespace assay::validation {

/// finite    -ln p
/// infinite  no alignment, or none with a probability above 0: +inf, or 0 with zero_infinity
/// nan       activations without a softmax
/// undefined lengths, labels or blank state no problem
enum class LossKind { finite, infinite, nan, undefined };

struct RowDiagnosis {
  std::int64_t row = 0;
  std::int64_t input_length = 0;
  std::int64_t target_length = 0;
  std::optional<std::int64_t> repeats;  ///< none where the labels cannot be located
  std::vector<Symptom> symptoms;        ///< the gravest first; notes do not count against a row
  LossKind kind = LossKind::finite;
  double loss = 0;        ///< about; +inf or NaN where it is
  std::string loss_text;  ///< "0.00311962157 ± 1e-11", "inf", "nan", "undefined"

  bool is_healthy() const { return symptoms.empty() || symptoms.front().severity == Severity::note; }
};

/// One diagnosis per row; losses before reduction and upstream, to `digits` significant digits.
/// Throws std::invalid_argument where the sizes of the batch's arrays do not agree with T, B, C and S.
std::vector<RowDiagnosis> diagnose(const CtcCase& c, int digits);

}  // namespace assay::validation
