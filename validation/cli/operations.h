// The operations that the command line knows by name.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "validation/cce/operation.h"
#include "validation/ctc/operation.h"
#include "validation/svd/operation.h"

namespace assay::validation {

inline std::vector<std::string> operation_names() {
  return {CtcOperation::name, CceOperation::name, SvdOperation::name};
}

/// What use(Operation()) returns, of the operation called `name`. Throws std::invalid_argument for another name.
template <class Use>
int with_operation(const std::string& name, const Use& use) {
  if (name == CtcOperation::name) return use(CtcOperation());
  if (name == CceOperation::name) return use(CceOperation());
  if (name == SvdOperation::name) return use(SvdOperation());
  throw std::invalid_argument(
      fmt::format("operation '{}' is unknown: expected one of {}", name, fmt::join(operation_names(), ", ")));
}

}  // namespace assay::validation
