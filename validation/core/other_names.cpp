#include "validation/core/other_names.h"

#include <fmt/format.h>

#include <array>

namespace assay::validation {

std::span<const OtherName> other_names() {
  static constexpr const char* frames_first = "; frames come first: [T, B, C]";
  static constexpr const char* lengths = ", the number that are not padding";
  static constexpr std::array names = {
      OtherName{"label_length", "TensorFlow and Keras", "target_lengths"},
      OtherName{"logit_length", "TensorFlow", "input_lengths"},
      OtherName{"logits_time_major", "TensorFlow", "logits", frames_first},
      OtherName{"blank_index", "TensorFlow", "blank"},
      OtherName{"input_length", "Keras", "input_lengths"},
      OtherName{"output_length", "Keras", "input_lengths"},
      OtherName{"target_length", "Keras", "target_lengths"},
      OtherName{"y_true", "Keras", "targets"},
      OtherName{"y_pred", "Keras", "log_probs",
                ", the logarithms of Keras's probabilities; frames come first: [T, B, C]"},
      OtherName{"output", "Keras", "logits", frames_first},
      OtherName{"mask_index", "Keras", "blank"},
      OtherName{"target", "Keras and PyTorch", "targets"},
      OtherName{"labels", "TensorFlow, Optax and Hugging Face", "targets",
                "; padding such as -100 lies beyond target_lengths in CTC, and is ignore_index in cross-entropy"},
      OtherName{"pad_token_id", "Hugging Face", "blank"},
      OtherName{"ctc_loss_reduction", "Hugging Face", "reduction"},
      OtherName{"ctc_zero_infinity", "Hugging Face", "zero_infinity"},
      OtherName{"hidden_states", "Hugging Face", "hidden"},
      OtherName{"blank_id", "Optax and NeMo", "blank"},
      OtherName{"logit_paddings", "Optax", "input_lengths", lengths},
      OtherName{"label_paddings", "Optax", "target_lengths", lengths},
      OtherName{"acts", "warp-ctc", "logits"},
      OtherName{"act_lens", "warp-ctc", "input_lengths"},
      OtherName{"label_lens", "warp-ctc", "target_lengths"},
      OtherName{"blank_label", "warp-ctc", "blank"},
      OtherName{"input", "PyTorch", "hidden"},
      OtherName{"linear_weight", "PyTorch", "weight"},
      OtherName{"linear_bias", "PyTorch", "bias"},
      OtherName{"lin_weight", "Liger", "weight"},
      OtherName{"lse_square_scale", "Liger", "z_loss"},
      OtherName{"softcap", "Liger", "logit_softcap"},
  };
  return names;
}

std::optional<std::string> ours_for(std::string_view name, const std::function<bool(const std::string&)>& takes) {
  for (const OtherName& other : other_names())
    if (name == other.name && takes(other.ours))
      return fmt::format("{} is the name in {}: expected {}{}", name, other.whose, other.ours, other.advice);
  return std::nullopt;
}

}  // namespace assay::validation
