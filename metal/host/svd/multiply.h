// Products of matrices on a device, for the rSVD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metal/host/pipelines.h"
#include "metal/host/svd/run.h"

namespace assay::metal::host {

/// Row-major matrices [rows, columns] one after the other, or their transposes.
struct SvdFactor {
  std::span<const float> elements;
  std::uint32_t rows = 0, columns = 0;
  std::uint32_t row_stride = columns, column_stride = 1;

  std::size_t count() const { return elements.size() / (std::size_t{rows} * columns); }
  SvdFactor transposed() const { return {elements, columns, rows, column_stride, row_stride}; }
};

/// The product of each of the B matrices of `first` with that of `second`, which may be one for all: row-major
/// [B, rows, columns]. Results do not depend on `max_work`, of a command buffer. Errors: those of the device, preceded
/// by the step that failed.
Result<std::vector<float>> svd_multiply(const SvdEngine& engine, Pipelines& pipelines, const SvdFactor& first,
                                        const SvdFactor& second, std::uint64_t max_work = default_max_work);

}  // namespace assay::metal::host
