// The division of a batch into chunks of rows that are computed together, so that their intermediate results fit in a
// budget of memory.
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
  std::uint64_t longest = 1;  ///< the largest L of its rows
  std::uint64_t work = 0;     ///< ctc_frames_work() of its rows
};

/// The intermediate results of a row or of a chunk, in elements: Scaled, or float on the plain path.
struct CtcSpace {
  std::uint64_t emissions = 0, alpha = 0, beta = 0;

  std::uint64_t count() const;
};

struct CtcChunks {
  std::vector<CtcChunk> chunks;
  CtcSpace space;  ///< enough for any of the chunks
};

/// The memory that a chunk may take.
struct CtcRoom {
  std::uint64_t workspace_bytes = 0;  ///< for emissions, alpha and beta together
  std::uint64_t buffer_bytes = 0;     ///< for each of them

  /// `budget`: workspace_bytes; 0: a quarter of the working set that the device recommends. A limit that the device
  /// does not state is no limit.
  static CtcRoom of(const Limits& limits, std::uint64_t budget);
};

/// The bytes of an element of CtcSpace.
std::uint64_t ctc_space_element(CtcPath path);

/// The work of a row in the dispatches that compute frames, of which the longer one counts.
std::uint64_t ctc_frames_work(const ctc::Row& row, const CtcStatement& statement);

/// Divides the rows into the longest chunks that fit, of at most statement.max_work or one row each, and sets where
/// each row begins in the memory of its chunk. Errors: limit, if the largest emissions, alpha and beta of a row do not
/// fit.
Result<CtcChunks> ctc_chunks(std::span<ctc::Row> rows, const CtcStatement& statement, const CtcRoom& room);

}  // namespace assay::metal::host
