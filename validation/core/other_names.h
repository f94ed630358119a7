// What other frameworks call the arguments of the operations, so that a message can name ours.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace assay::validation {

struct OtherName {
  const char* name;
  const char* whose;
  const char* ours;
  const char* advice = "";  ///< how the meaning differs: "; frames come first"
};

std::span<const OtherName> other_names();

/// "label_length is the name in TensorFlow and Keras: expected target_lengths", where `takes` an argument of our name.
std::optional<std::string> ours_for(std::string_view name, const std::function<bool(const std::string&)>& takes);

}  // namespace assay::validation
