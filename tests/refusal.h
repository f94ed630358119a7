// The words with which a call refuses what it is given.
#pragma once

#include <stdexcept>
#include <string>

namespace assay {

/// The message of the exception that `call` throws, or "accepted".
template <class Exception = std::invalid_argument, class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const Exception& refusal) {
    return refusal.what();
  }
  return "accepted";
}

}  // namespace assay
