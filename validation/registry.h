// The operations and kernels that the command line knows by name.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "validation/cce/operation.h"
#include "validation/core/gate_subject.h"
#include "validation/ctc/operation.h"
#include "validation/svd/operation.h"

namespace assay::validation {

template <class... Operations>
struct OperationList {};

/// All operations: a new one is added here.
using AllOperations = OperationList<CtcOperation, CceOperation, SvdOperation>;

namespace detail {

template <class... Operations>
std::vector<std::string> names_of(OperationList<Operations...>) {
  return {Operations::name...};
}

template <class Use, class... Operations>
int with_one_of(OperationList<Operations...> all, const std::string& name, const Use& use) {
  int result = -1;
  const bool found = ((name == Operations::name && (result = use(Operations()), true)) || ...);
  if (!found)
    throw std::invalid_argument(
        fmt::format("operation '{}' is unknown: expected one of {}", name, fmt::join(names_of(all), ", ")));
  return result;
}

}  // namespace detail

inline std::vector<std::string> operation_names() {
  return detail::names_of(AllOperations());
}

/// What use(Operation()) returns, for the operation called `name`. Throws std::invalid_argument for another name.
template <class Use>
int with_operation(const std::string& name, const Use& use) {
  return detail::with_one_of(AllOperations(), name, use);
}

/// The kernel called `name`: one of this project's own, a planted fault, or a plug-in's file. Throws
/// std::invalid_argument for another name.
template <class Operation>
std::shared_ptr<const typename Operation::Kernel> kernel_called(const std::string& name);

/// What the gate judges of that kernel, by a reference of `digits` digits; the property `algebra` where it is asked for.
template <class Operation>
std::shared_ptr<const GateSubject> subject_called(const std::string& name, int digits, bool with_algebra = false);

}  // namespace assay::validation
