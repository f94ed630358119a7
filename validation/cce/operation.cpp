#include "validation/cce/operation.h"

#include "validation/core/operation_of.h"

namespace assay::validation {

template struct OperationOf<CceFields>;

}  // namespace assay::validation
