// The dispatches of linear cross-entropy in their order, each of which may read what the ones before it wrote.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "metal/device/limits.h"
#include "metal/host/cce/statement.h"
#include "metal/host/pipelines.h"

namespace assay::metal::host {

struct CceDispatch {
  std::shared_ptr<const ComputePipeline> pipeline;
  cce::Shape shape{};
  Size groups;
  std::uint64_t threads = 32;  ///< of a group
};

/// Of a statement with at least one token that is not ignored. Errors: those of Pipelines::get; limit, for a pipeline
/// that does not take the threads that its kernel needs.
Result<std::vector<CceDispatch>> cce_dispatches(Pipelines& pipelines, const Limits& limits,
                                                const CceStatement& statement);

/// The function that a library has where it takes inputs of this type.
std::string cce_forward_name(CcePath path, const std::string& type);

}  // namespace assay::metal::host
