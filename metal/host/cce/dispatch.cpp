#include "metal/host/cce/dispatch.h"

#include <algorithm>
#include <utility>

namespace assay::metal::host {

namespace {

constexpr std::uint64_t simdgroup = 32, plain_threads = 256;

std::uint64_t tiles_of(std::uint64_t rows) {
  return (rows + cce::tile_rows - 1) / cce::tile_rows;
}

FunctionConstants constants_of(const CceStatement& statement) {
  FunctionConstants constants;
  constants.set(cce::has_bias_constant, statement.has_bias);
  constants.set(cce::has_softcap_constant, statement.has_softcap);
  constants.set(cce::has_smoothing_constant, statement.has_smoothing);
  constants.set(cce::with_dweight_constant, statement.work.dweight);
  constants.set(cce::with_dbias_constant, statement.work.dbias);
  constants.set(cce::may_skip_constant, statement.may_skip);
  return constants;
}

class Dispatches {
 public:
  Dispatches(Pipelines& pipelines, const Limits& limits, const CceStatement& statement)
      : pipelines_(pipelines),
        limits_(limits),
        statement_(statement),
        is_plain_(statement.path == CcePath::plain),
        constants_(constants_of(statement)) {}

  Result<void> add_all() {
    const CceWork& work = statement_.work;
    Result<void> result;
    if (work.forward) result = is_plain_ ? add_chunks("forward", statement_.M) : add_forward();
    if (result && work.dhidden) result = add_chunks("dhidden", statement_.M);
    if (result && (work.dweight || work.dbias)) result = add_chunks("dweight", statement_.V);
    return result;
  }

  std::vector<CceDispatch> take() { return std::move(dispatches_); }

 private:
  /// Takes all tokens at once, since only their states are kept.
  Result<void> add_forward() {
    Result<void> added =
        add(kernel("forward"), 0, statement_.M, {tiles_of(statement_.M), statement_.parts(), 1}, cce::tile_threads);
    if (!added) return added;
    const std::uint64_t groups = (statement_.M + cce::tile_threads - 1) / cce::tile_threads;
    return add("cce_loss", 0, statement_.M, {groups, 1, 1}, cce::tile_threads);
  }

  /// A dispatch for each chunk of `rows` tokens or entries.
  Result<void> add_chunks(const char* stem, std::uint64_t rows) {
    Result<void> result;
    for (std::uint64_t first = 0; result && first < rows; first += statement_.chunk) {
      const std::uint64_t count = std::min(statement_.chunk, rows - first);
      const Size groups{is_plain_ ? count : tiles_of(count), 1, 1};
      result = add(kernel(stem), first, count, groups, is_plain_ ? simdgroup : std::uint64_t{cce::tile_threads});
    }
    return result;
  }

  std::string kernel(const char* stem) const {
    return std::string(is_plain_ ? "cce_plain_" : "cce_") + stem + "_" + statement_.type;
  }

  /// `threads`: the number in a group that the kernel needs. The plain path takes more if it can.
  Result<void> add(const std::string& name, std::uint64_t first, std::uint64_t count, Size groups,
                   std::uint64_t threads) {
    Result<std::shared_ptr<const ComputePipeline>> pipeline = pipelines_.get(name, constants_);
    if (!pipeline) return tl::unexpected(pipeline.error());
    if (const Result<void> fits = check_pipeline(name, **pipeline, threads); !fits) return fits;
    cce::Shape shape = statement_.shape;
    shape.first = static_cast<std::uint32_t>(first);
    shape.count = static_cast<std::uint32_t>(count);
    shape.chunk = static_cast<std::uint32_t>(statement_.chunk);
    if (is_plain_) threads = std::min(plain_threads, max_group_threads(**pipeline, limits_));
    dispatches_.push_back({std::move(*pipeline), shape, groups, threads});
    return {};
  }

  Pipelines& pipelines_;
  const Limits& limits_;
  const CceStatement& statement_;
  bool is_plain_;
  FunctionConstants constants_;
  std::vector<CceDispatch> dispatches_;
};

}  // namespace

Result<std::vector<CceDispatch>> cce_dispatches(Pipelines& pipelines, const Limits& limits,
                                                const CceStatement& statement) {
  Dispatches dispatches(pipelines, limits, statement);
  if (const Result<void> added = dispatches.add_all(); !added) return tl::unexpected(added.error());
  return dispatches.take();
}

std::string cce_forward_name(CcePath path, const std::string& type) {
  return (path == CcePath::plain ? "cce_plain_forward_" : "cce_forward_") + type;
}

}  // namespace assay::metal::host
