#include "validation/ctc/diagnosis/symptom.h"

namespace assay::validation {

std::string_view name_of(Ailment ailment) {
  switch (ailment) {
    case Ailment::bad_blank:
      return "blank is no class";
    case Ailment::input_length:
      return "bad input length";
    case Ailment::target_length:
      return "bad target length";
    case Ailment::labels_left_over:
      return "labels left over";
    case Ailment::label_out_of_range:
      return "label out of range";
    case Ailment::label_is_blank:
      return "label is blank";
    case Ailment::infeasible:
      return "infeasible";
    case Ailment::not_a_number:
      return "NaN";
    case Ailment::infinite:
      return "+inf";
    case Ailment::empty_frame:
      return "empty frame";
    case Ailment::zero_probability:
      return "zero probability";
    case Ailment::looks_like_logits:
      return "logits?";
    case Ailment::looks_like_probabilities:
      return "probabilities?";
    case Ailment::not_normalised:
      return "not normalised";
    case Ailment::already_normalised:
      return "already normalised";
    case Ailment::padding_not_finite:
      return "padding not finite";
    case Ailment::upstream_not_finite:
      return "upstream not finite";
  }
  return "unknown";
}

}  // namespace assay::validation
