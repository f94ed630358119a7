// The dispatches of linear cross-entropy in order. Each may read what those before it wrote.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "metal/device/limits.h"
#include "metal/host/cce/statement.h"
#include "metal/host/dispatch.h"
#include "metal/host/pipelines.h"

namespace assay::metal::host {

using CceDispatch = Dispatch<cce::Shape>;

/// If no token counts, those that write zeros. Errors: those of Pipelines::get; limit, for a
/// pipeline that supports fewer threads than its kernel needs.
Result<std::vector<CceDispatch>> cce_dispatches(Pipelines& pipelines, const Limits& limits,
                                                const CceStatement& statement);

/// The name of a function that a library has if it supports inputs of this type.
std::string cce_logits_name(CcePath path, const std::string& type);

}  // namespace assay::metal::host
