#include "metal/host/ctc/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace assay::metal::host {

namespace {

/// The bytes of the elements, at most 8 each, must fit in 64 bits.
Result<void> check_elements(const CtcStatement& statement) {
  constexpr std::uint64_t max_elements = std::numeric_limits<std::uint64_t>::max() / 8;
  if (statement.elements() <= max_elements) return {};
  return error(Error::Kind::limit,
               fmt::format("T * B * C = {}: expected at most {} on a device", statement.elements(), max_elements));
}

/// Whether the backward kernel of the longest row keeps columns of beta in device memory.
Result<bool> has_beta(CtcKernels& kernels, const CtcStatement& statement, const CtcRows& rows) {
  if (!statement.with_gradient || statement.T == 0 || rows.rows.empty()) return false;
  const auto longest = std::ranges::max_element(rows.rows, {}, states_of);
  return kernels.backward(states_of(*longest)).map([](const CtcKernel& kernel) { return kernel.is_in_device_memory; });
}

}  // namespace

/// Makes the pipelines before the buffers, because the lengths of the buffers depend on the kernels.
Result<CtcPlan> ctc_plan(Device& device, Pipelines& pipelines, const CtcStatement& statement, CtcRows rows,
                         const CtcRoom& room) {
  if (const Result<void> fit = check_elements(statement); !fit) return tl::unexpected(fit.error());
  CtcKernels kernels(pipelines, device.limits(), statement);
  const Result<bool> beta = has_beta(kernels, statement, rows);
  if (!beta) return tl::unexpected(beta.error());
  const Result<CtcChunks> chunks = ctc_chunks(rows.rows, statement, *beta, room);
  if (!chunks) return tl::unexpected(chunks.error());
  Result<std::vector<CtcDispatch>> dispatches = ctc_dispatches(kernels, statement, chunks->chunks);
  if (!dispatches) return tl::unexpected(dispatches.error());
  if (dispatches->empty()) return CtcPlan(statement, {}, {});
  Result<CtcWorkspace> workspace = ctc_workspace(device, statement, rows, chunks->space);
  if (!workspace) return tl::unexpected(workspace.error());
  return CtcPlan(statement, std::move(*workspace), std::move(*dispatches));
}

}  // namespace assay::metal::host
