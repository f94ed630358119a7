// The error of a kernel that runs in another process and gives no answer.
#pragma once

#include <stdexcept>

namespace assay::validation {

/// A kernel crashed, hung, accessed memory out of bounds, or gave an invalid answer; the text says which.
class KernelDied : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace assay::validation
