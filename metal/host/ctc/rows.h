// The tables that tell the kernels of CTC about a batch's rows: metal/kernels/ctc/interface.h.
#pragma once

#include <cstdint>
#include <vector>

#include "metal/device/result.h"
#include "metal/kernels/ctc/interface.h"
#include "reference/ctc/problem.h"

namespace assay::metal::host {

struct CtcRows {
  std::vector<ctc::Row> rows;          ///< [B]; where emissions, alpha and beta begin is still open: chunks.h
  std::vector<std::uint32_t> slots;    ///< [all labels]
  std::vector<std::uint32_t> order;    ///< [all labels]
  std::vector<std::uint32_t> ends;     ///< [all classes], counted from the row's labels_begin
  std::vector<std::uint32_t> classes;  ///< [all classes], ascending within a row but for blank, which is first
};

/// L of a row.
inline std::uint64_t states_of(const ctc::Row& row) {
  return 2 * std::uint64_t{row.labels} + 1;
}

/// Of a problem that is valid. Errors: limit, for extents that 32 bits do not hold.
template <class Real>
Result<CtcRows> ctc_rows(const reference::CtcProblem<Real>& problem);

}  // namespace assay::metal::host
