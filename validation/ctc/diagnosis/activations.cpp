#include "validation/ctc/diagnosis/activations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "validation/ctc/diagnosis/statement.h"

namespace assay::validation {
namespace {

using Frame = std::span<const float>;

Frame frame_of(const CtcCase& c, std::int64_t t, std::int64_t b) {
  const auto width = static_cast<std::size_t>(c.C);
  return Frame(c.activations).subspan(static_cast<std::size_t>(t * c.B + b) * width, width);
}

/// The number of values of one kind in frames [begin, end) of row b, and the place of the first.
struct Sighting {
  std::int64_t count = 0, frame = 0, label = 0;
  float value = 0;

  std::string text() const {
    return fmt::format("{} at frame {}, class {}{}", std::isnan(value) ? "NaN" : "+inf", frame, label,
                       count == 1 ? "" : fmt::format(" (and {} more)", count - 1));
  }
};

template <class Wanted>
Sighting look_for(const CtcCase& c, std::int64_t b, std::int64_t begin, std::int64_t end, const Wanted& wanted) {
  Sighting seen;
  for (std::int64_t t = begin; t < end; ++t)
    for (std::int64_t k = 0; k < c.C; ++k)
      if (wanted(c.activation(t, b, k)) && seen.count++ == 0) {
        seen.frame = t;
        seen.label = k;
        seen.value = c.activation(t, b, k);
      }
  return seen;
}

bool is_nan(float x) {
  return std::isnan(x);
}
bool is_plus_inf(float x) {
  return std::isinf(x) && x > 0;
}
bool is_minus_inf(float x) {
  return std::isinf(x) && x < 0;
}

void examine_empty_frames(const CtcCase& c, std::int64_t b, std::vector<Symptom>& symptoms) {
  std::int64_t count = 0, first = 0;
  for (std::int64_t t = 0; t < frames_present(c, b); ++t) {
    const Frame frame = frame_of(c, t, b);
    if (std::all_of(frame.begin(), frame.end(), is_minus_inf) && count++ == 0) first = t;
  }
  if (count == 0) return;
  const char* const consequence =
      c.input == CtcInput::logits ? "its softmax is 0/0" : "no alignment has a probability above 0";
  symptoms.push_back({Ailment::empty_frame, Severity::fault,
                      fmt::format("every class is -inf at frame {}{}: {}", first,
                                  count == 1 ? "" : fmt::format(" and {} more", count - 1), consequence)});
}

/// The sums of frame t, read as log-probabilities and as probabilities.
struct FrameSums {
  double of_exponentials = 0;  ///< sum_k exp(x_k)
  double of_values = 0;        ///< sum_k x_k
  double rounding = 0;         ///< the error of of_exponentials that float32 arithmetic may cause
  bool in_unit_interval = true;
};

/// The field `rounding`: a float32 log-softmax errs by u |ln y_k| in each element, and its sum of C exponentials, added
/// one after the other, by at most C u; u = 2^-24. Twice that, and a few u for exp and log.
FrameSums sums_of(Frame frame) {
  constexpr double u = 0x1p-24;
  FrameSums sums;
  sums.rounding = (static_cast<double>(frame.size()) + 16) * u;
  for (const float x : frame) {
    const double y = std::exp(double{x});
    sums.of_exponentials += y;
    sums.of_values += double{x};
    if (y > 0) sums.rounding += 2 * u * std::min(y, 1.0) * std::fabs(double{x});
    sums.in_unit_interval &= x >= 0 && x <= 1;
  }
  return sums;
}

/// The properties that all frames of a row share, and the frame that is furthest from normalised.
struct RowSums {
  bool all_normalised = true, all_probabilities = true, all_far = true;
  double worst = 1;
  std::int64_t worst_frame = 0;

  void take(const FrameSums& sums, std::int64_t t) {
    const double error = std::fabs(sums.of_exponentials - 1);
    all_normalised &= error <= sums.rounding;
    all_far &= !(error <= 0.1);
    all_probabilities &= sums.in_unit_interval && std::fabs(sums.of_values - 1) <= 1e-2;
    if (!(error <= std::fabs(worst - 1))) {
      worst = sums.of_exponentials;
      worst_frame = t;
    }
  }
};

/// Tells from the sums of a row's frames what the activations are. The row must have frames, all below +inf.
std::optional<Symptom> examine_kind(const CtcCase& c, std::int64_t b) {
  RowSums row;
  for (std::int64_t t = 0; t < frames_present(c, b); ++t) row.take(sums_of(frame_of(c, t, b)), t);
  const bool logits = c.input == CtcInput::logits;
  if (row.all_probabilities)
    return Symptom{Ailment::looks_like_probabilities, Severity::doubt,
                   fmt::format("{} look like probabilities: all in [0, 1], and each frame adds up to 1",
                               logits ? "logits" : "log_probs")};
  if (logits && row.all_normalised)
    return Symptom{Ailment::already_normalised, Severity::note,
                   "logits are log-probabilities already; the softmax leaves them as they are"};
  if (logits || row.all_normalised) return std::nullopt;
  const std::string sum = fmt::format("the exponentials of frame {} add up to {:.9g}", row.worst_frame, row.worst);
  if (row.all_far) return Symptom{Ailment::looks_like_logits, Severity::doubt, "log_probs look like logits: " + sum};
  return Symptom{Ailment::not_normalised, Severity::note,
                 "log_probs are normalised less well than float32 can: " + sum};
}

}  // namespace

std::vector<Symptom> examine_activations(const CtcCase& c, std::int64_t b) {
  std::vector<Symptom> symptoms;
  const std::int64_t frames = frames_present(c, b);
  const Sighting nan = look_for(c, b, 0, frames, is_nan);
  const Sighting inf = look_for(c, b, 0, frames, is_plus_inf);
  if (nan.count > 0) symptoms.push_back({Ailment::not_a_number, Severity::fault, nan.text()});
  if (inf.count > 0) symptoms.push_back({Ailment::infinite, Severity::fault, inf.text()});
  examine_empty_frames(c, b, symptoms);
  if (frames > 0 && c.C > 1 && symptoms.empty())
    if (auto kind = examine_kind(c, b)) symptoms.push_back(std::move(*kind));
  const Sighting padding = look_for(c, b, frames, c.T, [](float x) { return is_nan(x) || is_plus_inf(x); });
  if (padding.count > 0)
    symptoms.push_back({Ailment::padding_not_finite, Severity::note,
                        padding.text() + ", past the input length: harmless to a kernel that stops there"});
  return symptoms;
}

}  // namespace assay::validation
