// Loads a plug-in's library and reads what it declares of a kernel.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "validation/transport/library/protocol.h"

namespace assay::validation::transport {

class Arrays;

/// The kernel that the worker calls.
struct Loaded {
  std::string symbol;
  /// Calls the kernel on the arrays of a request, and returns an assay_status. `message` has message_size bytes.
  std::function<int(Request& request, const Arrays& arrays, char* message)> run;
  void* followed_by = nullptr;  ///< null if its operations cannot be followed
};

/// Loads the library's constant into the answer. Checks only what is needed to read the constant safely. If that fails,
/// answers why and ends the process. `operations`: the names of all operations, to say which others it exports.
/// For "forward" and "backward" it loads the function of assay_formula.h of that name, which declares nothing.
Loaded load(const char* path, const std::string& operation, const std::vector<std::string>& operations, Answer& answer);

}  // namespace assay::validation::transport
