// The recursions of one row in extended range, in which nothing underflows for any activations (extended_range.h).
#pragma once

#include "metal/cpu/ctc/row.h"

namespace assay::metal::cpu {

/// Returns -ln p, +inf for p = 0, and writes the gradient of the classes that occur in the labels. Reads the row's
/// normalizers from the workspace.
template <class Real>
double extended_row(const Row<Real>& row, const RowWorkspace& workspace, const States& states);

}  // namespace assay::metal::cpu
