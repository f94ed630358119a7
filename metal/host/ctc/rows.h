// The tables that describe the rows of a batch to the kernels of CTC: metal/kernels/ctc/interface.h.
#pragma once

#include <cstdint>
#include <vector>

#include "metal/device/result.h"
#include "metal/kernels/ctc/interface.h"
#include "reference/ctc/problem.h"

namespace assay::metal::host {

struct CtcRows {
  std::vector<ctc::Row> rows;          ///< [B]; chunks.h sets where emissions, alpha and beta begin
  std::vector<std::uint32_t> slots;    ///< [all labels]
  std::vector<std::uint32_t> order;    ///< [all labels]
  std::vector<std::uint32_t> ends;     ///< [all classes], counted from the row's labels_begin
  std::vector<std::uint32_t> classes;  ///< [all classes], in each row the blank first, then ascending
};

/// L of a row.
inline std::uint64_t states_of(const ctc::Row& row) {
  return 2 * std::uint64_t{row.labels} + 1;
}

/// The tables of a valid problem. Errors: limit, for extents that do not fit in 32 bits.
template <class Real>
Result<CtcRows> ctc_rows(const reference::CtcProblem<Real>& problem);

}  // namespace assay::metal::host
