#include "validation/ctc/diagnosis/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "reference/ctc/repeats.h"
#include "validation/ctc/diagnosis/activations.h"
#include "validation/ctc/diagnosis/certified_loss.h"
#include "validation/ctc/diagnosis/dead_end.h"
#include "validation/ctc/diagnosis/statement.h"

namespace assay::validation {
namespace {

void expect_size(const char* name, std::size_t size, const char* shape, std::int64_t expected) {
  if (static_cast<std::int64_t>(size) != expected)
    throw std::invalid_argument(fmt::format("{}.size() = {}: expected {} = {}", name, size, shape, expected));
}

void expect_sizes(const CtcCase& c) {
  if (c.T < 0 || c.B < 0 || c.C < 1 || c.S < 0)
    throw std::invalid_argument(
        fmt::format("T={}, B={}, C={}, S={}: expected T, B, S >= 0 and C >= 1", c.T, c.B, c.C, c.S));
  expect_size("activations", c.activations.size(), "T * B * C", c.T * c.B * c.C);
  expect_size("input_lengths", c.input_lengths.size(), "B", c.B);
  expect_size("target_lengths", c.target_lengths.size(), "B", c.B);
  if (c.layout == CtcTargets::padded) expect_size("targets", c.targets.size(), "B * S", c.B * c.S);
}

bool has(const std::vector<Symptom>& symptoms, Ailment ailment) {
  return std::any_of(symptoms.begin(), symptoms.end(), [&](const Symptom& s) { return s.ailment == ailment; });
}

/// The kind of loss that follows from the symptoms found so far.
LossKind kind_of(const CtcCase& c, const std::vector<Symptom>& symptoms) {
  for (const Ailment ailment : {Ailment::bad_blank, Ailment::input_length, Ailment::target_length,
                                Ailment::label_out_of_range, Ailment::label_is_blank})
    if (has(symptoms, ailment)) return LossKind::undefined;
  if (has(symptoms, Ailment::not_a_number) || has(symptoms, Ailment::infinite)) return LossKind::nan;
  if (has(symptoms, Ailment::empty_frame)) return c.input == CtcInput::logits ? LossKind::nan : LossKind::infinite;
  return has(symptoms, Ailment::infeasible) ? LossKind::infinite : LossKind::finite;
}

/// The row as a problem of its own, without the other rows.
CtcCase alone(const CtcCase& c, std::int64_t b) {
  const auto labels = *locate_labels(c, b);
  CtcCase row;
  row.T = c.input_lengths[static_cast<std::size_t>(b)];
  row.B = 1;
  row.C = c.C;
  row.blank = c.blank;
  row.input = c.input;
  row.input_lengths = {row.T};
  set_targets(row, {{labels.begin(), labels.end()}});
  for (std::int64_t t = 0; t < row.T; ++t) {
    const auto frame = c.activations.begin() + (t * c.B + b) * c.C;
    row.activations.insert(row.activations.end(), frame, frame + c.C);
  }
  return row;
}

void take_loss(const CtcCase& c, int digits, RowDiagnosis& diagnosis) {
  diagnosis.kind = kind_of(c, diagnosis.symptoms);
  if (diagnosis.kind == LossKind::finite) {
    const CtcCase row = alone(c, diagnosis.row);
    if (auto why = find_dead_end(row)) {
      diagnosis.symptoms.push_back(
          {Ailment::zero_probability, c.zero_infinity ? Severity::doubt : Severity::fault, *why});
      diagnosis.kind = LossKind::infinite;
    } else {
      CertifiedLoss loss = certified_loss(row, digits);
      diagnosis.loss = loss.value;
      diagnosis.loss_text = std::move(loss.text);
      return;
    }
  }
  const bool infinite = diagnosis.kind == LossKind::infinite;
  diagnosis.loss = infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  diagnosis.loss_text = infinite                          ? c.zero_infinity ? "inf, made 0 by zero_infinity" : "inf"
                        : diagnosis.kind == LossKind::nan ? "nan"
                                                          : "undefined";
}

RowDiagnosis diagnose_row(const CtcCase& c, std::int64_t b, int digits) {
  RowDiagnosis diagnosis;
  diagnosis.row = b;
  diagnosis.input_length = c.input_lengths[static_cast<std::size_t>(b)];
  diagnosis.target_length = c.target_lengths[static_cast<std::size_t>(b)];
  if (const auto labels = locate_labels(c, b)) diagnosis.repeats = reference::repeats(*labels);
  diagnosis.symptoms = examine_statement(c, b);
  for (Symptom& symptom : examine_activations(c, b)) diagnosis.symptoms.push_back(std::move(symptom));
  take_loss(c, digits, diagnosis);
  std::stable_sort(diagnosis.symptoms.begin(), diagnosis.symptoms.end(),
                   [](const Symptom& a, const Symptom& b_) { return a.severity > b_.severity; });
  return diagnosis;
}

}  // namespace

std::vector<RowDiagnosis> diagnose(const CtcCase& c, int digits) {
  expect_sizes(c);
  std::vector<RowDiagnosis> rows;
  for (std::int64_t b = 0; b < c.B; ++b) rows.push_back(diagnose_row(c, b, digits));
  return rows;
}

}  // namespace assay::validation
