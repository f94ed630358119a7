// What becomes of a kernel that runs elsewhere and does not come back with an answer.
#pragma once

#include <stdexcept>

namespace assay::validation {

/// A kernel crashed, hung, touched memory that is not its own, or answered what is no answer; the text says which.
class KernelDied : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace assay::validation
