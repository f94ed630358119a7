#include "metal/host/ctc/kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "metal/kernels/ctc/interface.h"

namespace assay::metal::host {

namespace {

constexpr std::uint64_t simdgroup = 32;

static_assert(sizeof(ctc::Scaled) == 8);

/// Threads for `count` things, rounded up to whole simdgroups.
constexpr std::uint64_t threads_for(std::uint64_t count) {
  return (count + simdgroup - 1) / simdgroup * simdgroup;
}

/// A recursion in registers, and the most threads with which it is faster than the next one.
struct InRegisters {
  std::uint64_t states;  ///< a thread
  std::uint64_t max_threads;
};

constexpr InRegisters in_registers[] = {{2, 256}, {4, 256}, {8, 1024}};

}  // namespace

CtcKernels::CtcKernels(Pipelines& pipelines, const Limits& limits, const CtcStatement& statement)
    : pipelines_(pipelines),
      limits_(limits),
      is_plain_(statement.path == CtcPath::plain),
      classes_(static_cast<std::uint64_t>(statement.C)),
      min_states_(statement.min_states),
      type_(statement.type) {
  constants_.set(ctc::from_logits_constant, statement.from_logits);
  constants_.set(ctc::of_logits_constant, statement.of_logits);
  constants_.set(ctc::with_gradient_constant, statement.with_gradient);
}

Result<Kernel> CtcKernels::softmax() {
  if (is_plain_) return kernel(ctc_softmax_name(CtcPath::plain, type_), simdgroup);
  if (classes_ <= ctc::frame_classes) return by_frames(ctc_softmax_name(CtcPath::production, type_));
  Result<Kernel> held = wide_emissions("ctc_emissions_held_" + type_);
  if (!held) return held;
  held->threadgroup_length = ctc_held_bytes(classes_);
  const std::uint64_t own = held->pipeline->static_threadgroup_memory_length();
  if (held->threadgroup_length <= limits_.max_threadgroup_memory_length - own) return held;
  return wide_emissions("ctc_emissions_wide_" + type_);
}

Result<Kernel> CtcKernels::wide_emissions(const std::string& name) {
  Result<Kernel> wide = kernel(name, ctc::wide_count);
  if (wide && wide->threads < ctc::wide_count)
    return error(Error::Kind::limit, fmt::format("{}: {} threads in a group: expected at least {}", name, wide->threads,
                                                 std::uint64_t{ctc::wide_count}));
  return wide;
}

/// Keeps the states in registers if they fit, else in device memory.
Result<Kernel> CtcKernels::recursion(std::uint64_t L) {
  if (is_plain_) return kernel("ctc_plain_alpha", L);
  const std::uint64_t states = std::max(L, min_states_);
  for (const InRegisters& candidate : in_registers) {
    const std::uint64_t threads = threads_for((states + candidate.states - 1) / candidate.states);
    if (threads > candidate.max_threads) continue;
    Result<Kernel> made = kernel(fmt::format("ctc_recursion_{}", candidate.states), threads);
    if (!made || made->threads == threads) return made;
  }
  return recursion_in_parts(L);
}

Result<Kernel> CtcKernels::plain_beta(std::uint64_t L) {
  return kernel("ctc_plain_beta", L);
}

Result<Kernel> CtcKernels::gradient() {
  if (is_plain_) return kernel("ctc_plain_gradient_" + type_, simdgroup);
  return by_frames("ctc_gradient_" + type_);
}

Result<Kernel> CtcKernels::reduce() {
  return kernel("ctc_reduce", simdgroup);
}

Result<Kernel> CtcKernels::by_frames(const std::string& name) {
  return kernel(name, simdgroup * ctc::frame_count).map([](Kernel made) {
    made.items = made.threads / simdgroup;
    return made;
  });
}

Result<Kernel> CtcKernels::kernel(const std::string& name, std::uint64_t threads) {
  Result<std::shared_ptr<const ComputePipeline>> pipeline = pipelines_.get(name, constants_);
  if (!pipeline) return tl::unexpected(pipeline.error());
  if (const Result<void> fits = check_pipeline(name, **pipeline, simdgroup); !fits) return tl::unexpected(fits.error());
  const std::uint64_t supported = max_group_threads(**pipeline, limits_);
  return Kernel{std::move(*pipeline), std::min(threads_for(threads), supported)};
}

std::string ctc_softmax_name(CtcPath path, const std::string& type) {
  return (path == CtcPath::plain ? "ctc_plain_log_softmax_" : "ctc_emissions_") + type;
}

}  // namespace assay::metal::host
