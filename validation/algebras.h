// The operations that have the property `algebra`, and the properties of any.
#pragma once

#include <fmt/format.h>

#include <stdexcept>

#include "validation/cce/algebra.h"
#include "validation/core/algebra.h"
#include "validation/core/subject_of.h"
#include "validation/ctc/algebra.h"

namespace assay::validation {

/// Throws std::invalid_argument for an operation that has no algebra, if it is asked for.
template <class Operation>
PropertyList<Operation> all_properties(bool with_algebra) {
  PropertyList<Operation> all = all_properties<Operation>();
  if (!with_algebra) return all;
  if constexpr (HasAlgebra<Operation>)
    all.push_back(&algebra<Operation>());
  else
    throw std::invalid_argument(fmt::format("algebra of {}: expected ctc or cce", Operation::name));
  return all;
}

}  // namespace assay::validation
