// The kernels of one .metal source; MTLLibrary.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "metal/device/function.h"
#include "metal/device/result.h"

namespace assay::metal {

class Library {
 public:
  virtual ~Library() = default;

  virtual std::vector<std::string> function_names() const = 0;

  /// Errors: not_found, if the library does not have the name or the index of a function constant; argument, for a
  /// constant of another size.
  virtual Result<std::shared_ptr<const Function>> new_function(const std::string& name,
                                                               const FunctionConstants& constants = {}) = 0;

  /// Compiles the library's file again if it has changed. Returns whether it had. Functions and pipelines made before
  /// do not change. On an error (compile, environment) the library does not change either.
  virtual Result<bool> reload_if_changed() = 0;
};

}  // namespace assay::metal
