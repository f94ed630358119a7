// What is wrong with a CTC batch whose loss is inf or NaN, row by row and in plain words.
//
// For each row: lengths, labels, frames needed (S + repeats), activations, and, if all of these are valid, the loss to
// any number of digits. Each row is judged separately, but rows share the blank, and the lengths that tell where
// concatenated labels begin.
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
  std::optional<std::int64_t> repeats;  ///< none if the labels cannot be located
  std::vector<Symptom> symptoms;        ///< the most severe first; a row with notes alone is healthy
  LossKind kind = LossKind::finite;
  double loss = 0;        ///< approximate; +inf or NaN if the loss is
  std::string loss_text;  ///< "0.00311962157 ± 1e-11", "inf", "nan", "undefined"

  bool is_healthy() const { return symptoms.empty() || symptoms.front().severity == Severity::note; }
};

/// One diagnosis per row; losses before reduction and upstream, to `digits` significant digits.
/// Throws std::invalid_argument if the sizes of the batch's arrays do not agree with T, B, C and S.
std::vector<RowDiagnosis> diagnose(const CtcCase& c, int digits);

}  // namespace assay::validation
