// Products of matrices on a device, for the rSVD.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metal/host/pipelines.h"
#include "metal/host/svd/run.h"

namespace assay::metal::host {

/// A row-major matrix [rows, columns], or the transpose of one.
struct SvdFactor {
  std::span<const float> elements;
  std::uint32_t rows = 0, columns = 0;
  std::uint32_t row_stride = columns, column_stride = 1;

  SvdFactor transposed() const { return {elements, columns, rows, column_stride, row_stride}; }
};

/// The product of the two factors, row-major. Errors: those of the device, preceded by the step that failed.
Result<std::vector<float>> svd_multiply(const SvdEngine& engine, Pipelines& pipelines, const SvdFactor& first,
                                        const SvdFactor& second);

}  // namespace assay::metal::host
