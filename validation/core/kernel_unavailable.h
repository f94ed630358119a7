// The error of a kernel that this machine cannot run.
#pragma once

#include <stdexcept>

namespace assay::validation {

/// The machine lacks what the kernel needs, such as a compiler, a linker or a driver; the text says what to install. It
/// is no verdict on the kernel: the exception ends the command.
class KernelUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace assay::validation
