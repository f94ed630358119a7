// Which rows of a batch are worked on together, so that what they need in between fits into a budget of memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metal/device/limits.h"
#include "metal/device/result.h"
#include "metal/host/ctc/statement.h"
#include "metal/kernels/ctc/interface.h"

namespace assay::metal::host {

/// Rows first_row .. first_row + row_count - 1.
struct CtcChunk {
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 0;
  std::uint64_t longest = 1;  ///< L of its longest row
};

/// Memory that a row, or a chunk, takes beyond inputs and outputs; in elements: Scaled, or float on the plain path.
struct CtcSpace {
  std::uint64_t emissions = 0, alpha = 0, beta = 0;

  std::uint64_t count() const;
};

struct CtcChunks {
  std::vector<CtcChunk> chunks;
  CtcSpace space;  ///< enough for each of the chunks
};

/// What bounds a chunk.
struct CtcRoom {
  std::uint64_t workspace_bytes = 0;  ///< of emissions, alpha and beta together
  std::uint64_t buffer_bytes = 0;     ///< of each of them

  /// `budget`: workspace_bytes; 0: a quarter of what the device recommends. What a device does not tell is no bound.
  static CtcRoom of(const Limits& limits, std::uint64_t budget);
};

/// The bytes of an element of CtcSpace.
std::uint64_t ctc_space_element(CtcPath path);

/// Divides the rows into chunks as long as fit, and writes into the rows where in their chunk's memory each begins.
/// `has_beta`: the backward kernel keeps columns of beta in device memory (the plain path always has a whole beta).
/// Errors: limit, where there is no room for the largest emissions, alpha and beta of a row.
Result<CtcChunks> ctc_chunks(std::span<ctc::Row> rows, const CtcStatement& statement, bool has_beta,
                             const CtcRoom& room);

}  // namespace assay::metal::host
