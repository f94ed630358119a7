#include "metal/host/ctc/kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "metal/kernels/ctc/interface.h"

namespace assay::metal::host {

namespace {

constexpr std::uint64_t simdgroup = 32;

static_assert(sizeof(ctc::Scaled) == 8);

/// One thread for each of L states, rounded up to whole simdgroups, within the limits of the pipeline and the device.
std::uint64_t threads_for(std::uint64_t L, const ComputePipeline& pipeline, const Limits& limits) {
  const std::uint64_t wanted = (L + simdgroup - 1) / simdgroup * simdgroup;
  return std::min(wanted, max_group_threads(pipeline, limits));
}

}  // namespace

CtcKernels::CtcKernels(Pipelines& pipelines, const Limits& limits, const CtcStatement& statement)
    : pipelines_(pipelines),
      limits_(limits),
      is_plain_(statement.path == CtcPath::plain),
      min_states_(statement.min_states),
      type_("_" + statement.type) {
  constants_.set(ctc::from_logits_constant, statement.from_logits);
  constants_.set(ctc::of_logits_constant, statement.of_logits);
  constants_.set(ctc::with_gradient_constant, statement.with_gradient);
}

Result<CtcKernel> CtcKernels::softmax() {
  return of_simdgroup(ctc_softmax_name(is_plain_ ? CtcPath::plain : CtcPath::production, type_.substr(1)));
}

Result<CtcKernel> CtcKernels::forward(std::uint64_t L) {
  if (is_plain_) return of_states("ctc_plain_alpha", L);
  return recursion({"ctc_forward", "", ctc::forward_column_count}, L);
}

Result<CtcKernel> CtcKernels::backward(std::uint64_t L) {
  if (is_plain_) return of_states("ctc_plain_beta", L);
  return recursion({"ctc_backward", type_, ctc::backward_column_count}, L);
}

Result<CtcKernel> CtcKernels::gradient() {
  return of_simdgroup("ctc_plain_gradient" + type_);
}

Result<CtcKernel> CtcKernels::reduce() {
  return of_simdgroup("ctc_reduce");
}

/// Keeps the columns in registers if they fit, else in threadgroup memory beside the kernel's own, else in device
/// memory.
Result<CtcKernel> CtcKernels::recursion(const Recursion& recursion, std::uint64_t L) {
  const std::uint64_t states = std::max(L, min_states_);
  for (const std::uint64_t N : {1U, 2U, 4U, 8U})
    if (states <= simdgroup * N) return of_simdgroup(fmt::format("{}_{}{}", recursion.stem, N, recursion.type));
  const std::uint64_t length = ctc_column_bytes(recursion.columns, states),
                      max_length = limits_.max_threadgroup_memory_length;
  if (length <= max_length) {
    Result<CtcKernel> columns = of_states(fmt::format("{}_columns{}", recursion.stem, recursion.type), L);
    if (columns) columns->threadgroup_length = length;
    if (!columns || columns->pipeline->static_threadgroup_memory_length() <= max_length - length) return columns;
  }
  Result<CtcKernel> device = of_states(fmt::format("{}_device{}", recursion.stem, recursion.type), L);
  if (device) device->is_in_device_memory = true;
  return device;
}

Result<CtcKernel> CtcKernels::of_simdgroup(const std::string& name) {
  return of_states(name, 1);
}

Result<CtcKernel> CtcKernels::of_states(const std::string& name, std::uint64_t L) {
  Result<std::shared_ptr<const ComputePipeline>> pipeline = pipelines_.get(name, constants_);
  if (!pipeline) return tl::unexpected(pipeline.error());
  if (const Result<void> fits = check_pipeline(name, **pipeline, simdgroup); !fits) return tl::unexpected(fits.error());
  const std::uint64_t threads = threads_for(L, **pipeline, limits_);
  return CtcKernel{std::move(*pipeline), threads, 0, false};
}

std::string ctc_softmax_name(CtcPath path, const std::string& type) {
  return (path == CtcPath::plain ? "ctc_plain_log_softmax_" : "ctc_emissions_") + type;
}

}  // namespace assay::metal::host
