// The recursions of one row in extended range: whatever the activations, nothing underflows (extended_range.h).
#pragma once

#include "metal/cpu/row.h"

namespace assay::metal::cpu {

/// -ln p, +inf for p = 0, and the gradient of the classes that occur in the labels. Takes the row's normalizers from
/// the workspace.
template <class Real>
double extended_row(const Row<Real>& row, const RowWorkspace& workspace, const States& states);

}  // namespace assay::metal::cpu
