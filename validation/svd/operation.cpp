#include "validation/svd/operation.h"

#include "validation/core/operation_of.h"

namespace assay::validation {

template struct OperationOf<SvdFields>;

}  // namespace assay::validation
