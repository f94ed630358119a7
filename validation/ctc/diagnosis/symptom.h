// What can be wrong with a row of a CTC batch.
#pragma once

#include <string>
#include <string_view>

namespace assay::validation {

/// note   harmless, worth knowing
/// doubt  there is a finite loss, but probably not the intended one
/// fault  the loss is inf, NaN or meaningless
enum class Severity { note, doubt, fault };

enum class Ailment {
  bad_blank,                 ///< blank is not a class
  input_length,              ///< negative, or above T
  target_length,             ///< negative, or more labels than there are
  labels_left_over,          ///< concatenated targets hold more labels than target_lengths claim
  label_out_of_range,        ///< not in [0, C)
  label_is_blank,            ///< a label equals the blank
  infeasible,                ///< fewer frames than labels + repeats
  not_a_number,              ///< NaN within the input length
  infinite,                  ///< +inf within the input length
  empty_frame,               ///< every class at -inf
  zero_probability,          ///< feasible, but every alignment meets a -inf
  looks_like_logits,         ///< log_probs whose frames are far from summing to 1
  looks_like_probabilities,  ///< logits or log_probs in [0, 1] whose frames sum to 1
  not_normalised,            ///< log_probs whose frames sum to 1 less well than float32 could
  already_normalised,        ///< logits that are log-probabilities
  padding_not_finite,        ///< NaN or +inf past the input length
  upstream_not_finite,       ///< NaN or inf as the factor of the row's gradient
};

struct Symptom {
  Ailment ailment;
  Severity severity;
  std::string text;  ///< the finding and its place: "label 2 is 28: expected a class in [0, C=28)"
};

/// A name of at most 20 letters: "infeasible".
std::string_view name_of(Ailment ailment);

}  // namespace assay::validation
