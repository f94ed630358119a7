// Loads a plug-in's library and reads what it declares of a kernel.
#pragma once

#include <string>
#include <vector>

#include "validation/transport/library/protocol.h"

namespace assay::validation::transport {

/// The kernel that the worker calls.
struct Loaded {
  DeclarationStart kernel{};
  std::string symbol;
  void* followed_by = nullptr;  ///< null if its operations cannot be followed
};

/// Loads the library's constant into the answer. Checks only what is needed to read the constant safely. If that fails,
/// answers why and ends the process. `operations`: the names of all operations, to say which others it exports.
Loaded load(const char* path, const std::string& operation, const std::vector<std::string>& operations, Answer& answer);

}  // namespace assay::validation::transport
