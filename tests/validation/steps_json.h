// Asks steps/steps.h and reads its answers.
#pragma once

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace assay::validation {

using Json = nlohmann::json;
using Steps = std::string (*)(std::string_view);

inline Json ask(Steps steps, const Json& request) {
  return Json::parse(steps(request.dump()));
}

/// The double that a text of a response stands for.
inline double real(const Json& text) {
  return std::strtod(text.get<std::string>().c_str(), nullptr);
}

/// What a request is refused with; "" where it is met.
inline std::string refusal(Steps steps, const Json& request) {
  const Json response = ask(steps, request);
  return response.contains("error") ? response["error"].get<std::string>() : "";
}

}  // namespace assay::validation
