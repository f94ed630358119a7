// Loads a plug-in's library and reads what it declares of a kernel.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "validation/transport/library/protocol.h"
#include "validation/transport/library/worker/numerics.h"

namespace assay::validation::transport {

/// The kernel that the worker calls.
struct Loaded {
  std::string symbol;
  std::function<assay_formula_run> run;
  Hooks hooks = {};                    ///< null if its operations cannot be followed
  void (*set_threads)(int) = nullptr;  ///< of OpenMP; null if the library does not use it
};

/// Loads the library's constant into the answer. Checks only what is needed to read the constant safely. If that fails,
/// answers why and ends the process. `operations`: the names of all operations, to say which others it exports.
/// For "forward" and "backward" it loads the function of assay_formula.h of that name, which declares nothing. A
/// constant without a function `run` declares what assay_forward computes.
Loaded load(const char* path, const std::string& operation, const std::vector<std::string>& operations, Answer& answer);

}  // namespace assay::validation::transport
