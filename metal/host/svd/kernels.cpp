#include "metal/host/svd/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::metal::host {

namespace {

constexpr std::uint64_t simdgroup = 32, max_plain_threads = 256;

/// The threads in a group that a kernel needs, and the most that it can use.
struct Threads {
  std::uint64_t min = simdgroup, max = simdgroup;
};

Result<Kernel> kernel(Pipelines& pipelines, const Limits& limits, const SvdStatement& statement,
                      const std::string& name, const Threads& threads) {
  Result<std::shared_ptr<const ComputePipeline>> pipeline = pipelines.get(name, svd_constants(statement));
  if (!pipeline) return tl::unexpected(pipeline.error());
  if (const Result<void> fits = check_pipeline(name, **pipeline, threads.min); !fits)
    return tl::unexpected(fits.error());
  const std::uint64_t group = std::clamp(max_group_threads(**pipeline, limits), threads.min, threads.max);
  return Kernel{.pipeline = std::move(*pipeline), .threads = group};
}

Threads rotate_threads(const SvdStatement& statement) {
  const svd::Shape& shape = statement.shape;
  if (statement.method == SvdMethod::blocks) {
    constexpr std::uint64_t all = svd::block_width * svd::block_threads_per_pair;
    return {all, all};
  }
  if (statement.method == SvdMethod::sweeps) {
    const std::uint64_t pairs = shape.padded / 2 * statement.threads_per_pair;
    const std::uint64_t all = (pairs + simdgroup - 1) / simdgroup * simdgroup;
    return {all, all};
  }
  return {simdgroup, std::min<std::uint64_t>(max_plain_threads, (shape.rows + simdgroup - 1) / simdgroup * simdgroup)};
}

}  // namespace

Result<SvdKernels> svd_kernels(Pipelines& pipelines, const Limits& limits, const SvdStatement& statement) {
  const auto get = [&](const std::string& name, const Threads& threads) {
    return kernel(pipelines, limits, statement, name, threads);
  };
  const Threads of_columns{simdgroup, simdgroup * std::min<std::uint64_t>(statement.shape.columns, simdgroup)};
  Result<Kernel> load = get(svd_load_name(statement.type), of_columns);
  if (!load) return tl::unexpected(load.error());
  Result<Kernel> rotate = get(svd_rotate_name(statement), rotate_threads(statement));
  if (!rotate) return tl::unexpected(rotate.error());
  rotate->threadgroup_length = statement.shared_bytes();
  Result<Kernel> finish = get("svd_finish_" + statement.type, of_columns);
  if (!finish) return tl::unexpected(finish.error());
  SvdKernels kernels{std::move(*load), std::move(*rotate), {}, std::move(*finish)};
  if (statement.method == SvdMethod::sweeps) return kernels;
  Result<Kernel> settle = get("svd_settle", {});
  if (!settle) return tl::unexpected(settle.error());
  kernels.settle = std::move(*settle);
  return kernels;
}

FunctionConstants svd_constants(const SvdStatement& statement) {
  FunctionConstants constants;
  constants.set(svd::with_vectors_constant, statement.with_vectors);
  constants.set(svd::shares_rotations_constant, statement.shares_rotations);
  return constants;
}

std::string svd_rotate_name(const SvdStatement& statement) {
  if (statement.method == SvdMethod::blocks) return "svd_block_rotate";
  if (statement.method == SvdMethod::pairs) return "svd_jacobi_rotate";
  return fmt::format("svd_sweeps_{}{}", statement.threads_per_pair, statement.shares_work ? "_threadgroup" : "");
}

std::string svd_load_name(const std::string& type) {
  return "svd_load_" + type;
}

}  // namespace assay::metal::host
