#include "validation/ctc/diagnosis/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/ctc/repeats.h"

namespace assay::validation {
namespace {

/// Where row b begins in concatenated targets, unless a length before it is negative or leads past their end.
std::optional<std::size_t> concatenated_offset(const CtcCase& c, std::int64_t b) {
  std::size_t offset = 0;
  for (std::int64_t i = 0; i < b; ++i) {
    const std::int64_t length = c.target_lengths[static_cast<std::size_t>(i)];
    if (length < 0 || static_cast<std::size_t>(length) > c.targets.size() - offset) return std::nullopt;
    offset += static_cast<std::size_t>(length);
  }
  return offset;
}

/// Why the labels of a row cannot be located.
std::string why_unlocated(const CtcCase& c, std::int64_t b) {
  const std::int64_t length = c.target_lengths[static_cast<std::size_t>(b)];
  if (length < 0) return fmt::format("target length {}: expected at least 0", length);
  if (c.layout == CtcTargets::padded) return fmt::format("target length {}: expected at most S={}", length, c.S);
  const auto offset = concatenated_offset(c, b);
  if (!offset) return "where its labels begin is unknown, for the target length of a row before is wrong";
  return fmt::format("target length {}: {} are left in the concatenated targets", length, c.targets.size() - *offset);
}

void examine_lengths(const CtcCase& c, std::int64_t b, std::vector<Symptom>& symptoms) {
  const std::int64_t frames = c.input_lengths[static_cast<std::size_t>(b)];
  if (frames < 0 || frames > c.T)
    symptoms.push_back({Ailment::input_length, Severity::fault,
                        fmt::format("input length {}: expected a length in [0, T={}]", frames, c.T)});
  if (!locate_labels(c, b)) symptoms.push_back({Ailment::target_length, Severity::fault, why_unlocated(c, b)});
}

/// Labels that belong to no row make every row doubtful, because any length may be wrong.
void examine_left_over(const CtcCase& c, std::vector<Symptom>& symptoms) {
  if (c.layout == CtcTargets::padded) return;
  const auto claimed = concatenated_offset(c, c.B);
  if (claimed && *claimed < c.targets.size())
    symptoms.push_back({Ailment::labels_left_over, Severity::doubt,
                        fmt::format("target lengths add up to {}, but {} labels are given: some row may have the "
                                    "labels of another",
                                    *claimed, c.targets.size())});
}

/// "label 2 is 28" for the first label with is_bad(label), with the number of further ones; none if there is none.
template <class IsBad>
std::optional<std::string> first_label(std::span<const std::int64_t> labels, const IsBad& is_bad) {
  const auto first = std::find_if(labels.begin(), labels.end(), is_bad);
  if (first == labels.end()) return std::nullopt;
  const auto others = std::count_if(first + 1, labels.end(), is_bad);
  return fmt::format("label {} is {}{}", first - labels.begin(), *first,
                     others == 0 ? "" : fmt::format(" (and {} more)", others));
}

void examine_labels(const CtcCase& c, std::span<const std::int64_t> labels, std::vector<Symptom>& symptoms) {
  if (const auto found = first_label(labels, [&](std::int64_t k) { return k < 0 || k >= c.C; }))
    symptoms.push_back(
        {Ailment::label_out_of_range, Severity::fault, fmt::format("{}: expected a class in [0, C={})", *found, c.C)});
  if (const auto found = first_label(labels, [&](std::int64_t k) { return k == c.blank; }))
    symptoms.push_back({Ailment::label_is_blank, Severity::fault, *found + ", which is the blank"});
}

std::string count_of(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void examine_feasibility(const CtcCase& c, std::int64_t b, std::span<const std::int64_t> labels,
                         std::vector<Symptom>& symptoms) {
  const std::int64_t frames = c.input_lengths[static_cast<std::size_t>(b)];
  const auto length = static_cast<std::int64_t>(labels.size());
  const std::int64_t repeats = reference::repeats(labels);
  if (frames < 0 || frames >= length + repeats) return;
  symptoms.push_back({Ailment::infeasible, c.zero_infinity ? Severity::doubt : Severity::fault,
                      fmt::format("needs {}: {} + {}, has {}", count_of(length + repeats, "frame"),
                                  count_of(length, "label"), count_of(repeats, "repeat"), frames)});
}

void examine_upstream(const CtcCase& c, std::int64_t b, std::vector<Symptom>& symptoms) {
  const std::size_t index = c.upstream.size() == 1 ? 0 : static_cast<std::size_t>(b);
  if (index >= c.upstream.size() || std::isfinite(c.upstream[index])) return;
  symptoms.push_back({Ailment::upstream_not_finite, Severity::doubt,
                      fmt::format("upstream[{}] is {}: the loss does not depend on it, and the row's gradient is NaN "
                                  "or inf",
                                  index, c.upstream[index])});
}

}  // namespace

std::optional<std::span<const std::int64_t>> locate_labels(const CtcCase& c, std::int64_t b) {
  const std::int64_t length = c.target_lengths[static_cast<std::size_t>(b)];
  const bool padded = c.layout == CtcTargets::padded;
  const auto offset = padded ? static_cast<std::size_t>(b * c.S) : concatenated_offset(c, b);
  if (length < 0 || !offset) return std::nullopt;
  const auto room = padded ? static_cast<std::size_t>(c.S) : c.targets.size() - *offset;
  if (static_cast<std::size_t>(length) > room) return std::nullopt;
  return std::span(c.targets).subspan(*offset, static_cast<std::size_t>(length));
}

std::int64_t frames_present(const CtcCase& c, std::int64_t b) {
  return std::clamp<std::int64_t>(c.input_lengths[static_cast<std::size_t>(b)], 0, c.T);
}

std::vector<Symptom> examine_statement(const CtcCase& c, std::int64_t b) {
  std::vector<Symptom> symptoms;
  if (c.blank < 0 || c.blank >= c.C)
    symptoms.push_back(
        {Ailment::bad_blank, Severity::fault, fmt::format("blank = {}: expected a class in [0, C={})", c.blank, c.C)});
  examine_left_over(c, symptoms);
  examine_lengths(c, b, symptoms);
  if (const auto labels = locate_labels(c, b)) {
    examine_labels(c, *labels, symptoms);
    examine_feasibility(c, b, *labels, symptoms);
  }
  examine_upstream(c, b, symptoms);
  return symptoms;
}

}  // namespace assay::validation
