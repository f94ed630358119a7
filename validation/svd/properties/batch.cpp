// A matrix has the same factors, in every bit, in a batch of fewer matrices and of more.
#include "validation/core/batch.h"

#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {

SvdProperty batch() {
  return validation::batch<SvdOperation>("a matrix gives the same bits in batches of any size", {.max_batch = 20}, "B",
                                         select_matrices);
}

}  // namespace assay::validation::svd
