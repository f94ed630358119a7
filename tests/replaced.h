// Texts with one thing changed: planted faults, broken files.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace assay {

/// `text` with the first `from`, which has to be there, replaced by `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) {
    ADD_FAILURE() << "no '" << from << "' in " << text;
    return text;
  }
  return text.replace(at, from.size(), to);
}

}  // namespace assay
