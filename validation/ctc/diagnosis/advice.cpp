#include "validation/ctc/diagnosis/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <span>
#include <utility>

#include "validation/ctc/diagnosis/activations.h"
#include "validation/ctc/diagnosis/statement.h"

namespace assay::validation {
namespace {

using Rows = std::vector<std::int64_t>;

bool has_any(const RowDiagnosis& row, std::initializer_list<Ailment> ailments) {
  return std::any_of(row.symptoms.begin(), row.symptoms.end(), [&](const Symptom& symptom) {
    return std::find(ailments.begin(), ailments.end(), symptom.ailment) != ailments.end();
  });
}

Rows rows_with(const std::vector<RowDiagnosis>& rows, std::initializer_list<Ailment> ailments) {
  Rows out;
  for (const RowDiagnosis& row : rows)
    if (has_any(row, ailments)) out.push_back(row.row);
  return out;
}

/// The labels of all rows whose labels can be located.
struct LabelRange {
  std::int64_t least = 0, greatest = -1;

  explicit LabelRange(const CtcCase& c) {
    for (std::int64_t b = 0; b < c.B; ++b)
      for (const std::int64_t k : locate_labels(c, b).value_or(std::span<const std::int64_t>())) take(k);
  }

 private:
  void take(std::int64_t k) {
    const bool first = greatest < least;
    least = first ? k : std::min(least, k);
    greatest = first ? k : std::max(greatest, k);
  }
};

/// Whether the bad labels of each row in `which` stand at its end only, as padding does.
template <class IsBad>
bool looks_like_padding(const CtcCase& c, const Rows& which, const IsBad& is_bad) {
  return std::all_of(which.begin(), which.end(), [&](std::int64_t b) {
    const auto labels = *locate_labels(c, b);
    const auto first = std::find_if(labels.begin(), labels.end(), is_bad);
    return first != labels.begin() && std::all_of(first, labels.end(), is_bad);
  });
}

/// The class that is the largest in most frames (the blank, in a trained network) and its share of the frames.
std::string most_frequent_class(const CtcCase& c) {
  std::vector<std::int64_t> wins(static_cast<std::size_t>(c.C), 0);
  std::int64_t frames = 0;
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t t = 0; t < frames_present(c, b); ++t, ++frames) {
      const auto begin = c.activations.begin() + (t * c.B + b) * c.C;
      ++wins[static_cast<std::size_t>(std::max_element(begin, begin + c.C) - begin)];
    }
  if (frames == 0) return {};
  const auto best = std::max_element(wins.begin(), wins.end());
  return fmt::format(" Class {} is the largest in {:.0f} % of the frames; in a trained network that is the blank.",
                     best - wins.begin(), 100.0 * static_cast<double>(*best) / static_cast<double>(frames));
}

std::string about_blank(const CtcCase& c, const Rows&) {
  return fmt::format("Set blank to a class in [0, {}): it is the first, 0, in PyTorch and the last, {}, in TensorFlow.",
                     c.C, c.C - 1);
}

std::string about_input_length(const CtcCase& c, const Rows& which) {
  std::int64_t longest = 0;
  for (const std::int64_t frames : c.input_lengths) longest = std::max(longest, frames);
  if (longest <= c.T || c.T == 0) return fmt::format("Give {} an input length in [0, T={}].", name_rows(which), c.T);
  return fmt::format(
      "Give {} an input length in [0, T={}]. Lengths counted before the network subsamples must be "
      "divided by its factor; the longest, {}, asks for a factor of at least {}.",
      name_rows(which), c.T, longest, (longest - 1) / c.T + 1);
}

std::string about_target_length(const CtcCase&, const Rows& which) {
  return fmt::format("Correct the target length of {}: it must count the labels that are in targets.",
                     name_rows(which));
}

std::string about_left_over(const CtcCase&, const Rows&) {
  return "Make target_lengths add up to the number of concatenated targets.";
}

std::string about_label_range(const CtcCase& c, const Rows& which) {
  if (looks_like_padding(c, which, [&](std::int64_t k) { return k < 0 || k >= c.C; }))
    return fmt::format("In {} the labels out of range stand at the end, as padding does: the target length counts it.",
                       name_rows(which));
  const LabelRange range(c);
  if (range.greatest == c.C && range.least > 0)
    return fmt::format(
        "Labels run from {} to {} = C: the network may lack a class (the blank takes one of its {}), or "
        "the labels be one too high.",
        range.least, range.greatest, c.C);
  return fmt::format("Renumber the labels, which run from {} to {}, into [0, {}), or give the network more classes.",
                     range.least, range.greatest, c.C);
}

std::string about_label_blank(const CtcCase& c, const Rows& which) {
  if (looks_like_padding(c, which, [&](std::int64_t k) { return k == c.blank; }))
    return fmt::format("In {} the blanks stand at the end, as padding does: the target length counts it.",
                       name_rows(which));
  const LabelRange range(c);
  if (c.blank == 0 && range.least == 0 && range.greatest < c.C - 1)
    return fmt::format(
        "Your labels start at 0, which is the blank: shift them by one, or, if class {} is the blank, set "
        "blank = {}.{}",
        c.C - 1, c.C - 1, most_frequent_class(c));
  return fmt::format("The blank is no label: take it out of the targets of {}, or set blank to the network's.{}",
                     name_rows(which), most_frequent_class(c));
}

std::string about_infeasible(const CtcCase& c, const Rows& which) {
  if (c.zero_infinity)
    return fmt::format(
        "Nothing is learnt from {}: zero_infinity makes loss and gradient 0. More frames (less "
        "subsampling) or shorter targets would cure that.",
        name_rows(which));
  return fmt::format("Set zero_infinity, or drop {}, or give more frames (less subsampling).", name_rows(which));
}

std::string about_not_finite(const CtcCase&, const Rows& which) {
  return fmt::format(
      "Find what makes the network's output NaN or +inf in {}: a learning rate too high, half precision "
      "overflowing, or bad input. The loss is not at fault.",
      name_rows(which));
}

std::string about_empty_frame(const CtcCase&, const Rows& which) {
  return fmt::format(
      "Leave some class finite in each frame of {}: a mask must spare the blank, and frames to be left "
      "out belong past the input length.",
      name_rows(which));
}

std::string about_zero_probability(const CtcCase& c, const Rows& which) {
  return fmt::format("Do not mask a class that the target of {} needs{}.", name_rows(which),
                     c.zero_infinity ? "" : "; zero_infinity would leave the row out");
}

std::string about_logits(const CtcCase&, const Rows&) {
  return "Apply log_softmax over the classes first, or name the array logits.";
}

std::string about_probabilities(const CtcCase&, const Rows&) {
  return "Store the logarithms of the probabilities as log_probs, or better the network's logits.";
}

}  // namespace

std::string name_rows(const Rows& rows) {
  std::string out = rows.size() == 1 ? "row" : rows.empty() ? "" : "rows";
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t last = i;
    while (last + 1 < rows.size() && rows[last + 1] == rows[last] + 1) ++last;
    out += i == 0 ? " " : ", ";
    out +=
        last == i ? fmt::format("{}", rows[i]) : fmt::format("{}{}{}", rows[i], last == i + 1 ? ", " : "-", rows[last]);
    i = last + 1;
  }
  return out;
}

std::vector<std::string> advise(const CtcCase& c, const std::vector<RowDiagnosis>& rows) {
  using Sentence = std::string (*)(const CtcCase&, const Rows&);
  std::vector<std::string> advice;
  const auto add = [&](std::initializer_list<Ailment> ailments, Sentence sentence) {
    if (const Rows which = rows_with(rows, ailments); !which.empty()) advice.push_back(sentence(c, which));
  };
  add({Ailment::bad_blank}, about_blank);
  add({Ailment::input_length}, about_input_length);
  add({Ailment::target_length}, about_target_length);
  add({Ailment::labels_left_over}, about_left_over);
  add({Ailment::label_out_of_range}, about_label_range);
  add({Ailment::label_is_blank}, about_label_blank);
  add({Ailment::infeasible}, about_infeasible);
  add({Ailment::not_a_number, Ailment::infinite}, about_not_finite);
  add({Ailment::empty_frame}, about_empty_frame);
  add({Ailment::zero_probability}, about_zero_probability);
  add({Ailment::looks_like_logits}, about_logits);
  add({Ailment::looks_like_probabilities}, about_probabilities);
  return advice;
}

std::string float32_remark(const std::vector<RowDiagnosis>& rows) {
  constexpr double min_exponent = -126;  // the smallest normal float32 number is 2^-126
  Rows which;
  const RowDiagnosis* worst = nullptr;
  for (const RowDiagnosis& row : rows) {
    if (row.kind != LossKind::finite || !(-row.loss / std::log(2.0) < min_exponent)) continue;
    which.push_back(row.row);
    if (worst == nullptr || row.loss > worst->loss) worst = &row;
  }
  if (worst == nullptr) return {};
  const double spacing = std::ldexp(1.0, std::ilogb(worst->loss) - 23);
  return fmt::format(
      "float32: p is below 2^-126 in {} (2^{:.0f} in row {}), so that plain probabilities underflow and the "
      "loss comes out inf; logarithms hold it, but ln p only to {:.0e}.",
      name_rows(which), -worst->loss / std::log(2.0), worst->row, spacing);
}

std::vector<std::string> notes_on_activations(const CtcCase& c) {
  std::map<Ailment, std::pair<Rows, std::string>> found;
  for (std::int64_t b = 0; b < c.B; ++b)
    for (const Symptom& symptom : examine_activations(c, b)) {
      auto& [rows, text] = found.try_emplace(symptom.ailment, Rows(), symptom.text).first->second;
      rows.push_back(b);
    }
  std::vector<std::string> notes;
  for (const auto& [ailment, one] : found) notes.push_back(fmt::format("{}: {}", name_rows(one.first), one.second));
  return notes;
}

}  // namespace assay::validation
