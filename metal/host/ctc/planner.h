// From the tables of a batch to a plan.
#pragma once

#include "metal/device/device.h"
#include "metal/host/ctc/chunks.h"
#include "metal/host/ctc/plan.h"
#include "metal/host/ctc/rows.h"
#include "metal/host/pipelines.h"

namespace assay::metal::host {

/// Errors: limit, for activations whose bytes do not fit in 64 bits; those of ctc_chunks, ctc_dispatches and
/// ctc_workspace.
Result<CtcPlan> ctc_plan(Device& device, Pipelines& pipelines, const CtcStatement& statement, CtcRows rows,
                         const CtcRoom& room);

}  // namespace assay::metal::host
