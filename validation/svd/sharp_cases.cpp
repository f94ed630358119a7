// Cases for checks of the SVD's gradient at extents past 1000: Gaussian matrices, to whose gradient each row and column
// adds elements of about the same size.
#include "validation/svd/operation.h"

namespace assay::validation {

std::vector<SvdNamedCase> SvdOperation::sharp_cases() {
  return {{"case of 1030 rows", SvdOperation::sized_case(1, 1030, 2, 0, Dtype::float32, 1), true},
          {"case of 1027 columns", SvdOperation::sized_case(1, 2, 1027, 0, Dtype::float32, 2), true},
          {"case of 67 matrices", SvdOperation::sized_case(67, 2, 2, 0, Dtype::float32, 3), true}};
}

}  // namespace assay::validation
