#include "validation/ctc/operation.h"

#include "validation/core/operation_of.h"

namespace assay::validation {

template struct OperationOf<CtcFields>;

}  // namespace assay::validation
