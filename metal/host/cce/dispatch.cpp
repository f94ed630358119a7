#include "metal/host/cce/dispatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "metal/host/cce/blocks.h"

namespace assay::metal::host {

namespace {

constexpr std::uint64_t simdgroup = 32, plain_threads = 256;

/// An element that is read and written takes as long as so many multiply-adds.
constexpr std::uint64_t element_work = 32;

std::uint64_t parts_of(std::uint64_t count, std::uint64_t part) {
  return (count + part - 1) / part;
}

/// What a threadgroup computes of a product, along x and y of the grid, and its threads.
struct Tile {
  std::uint64_t x = cce::tile, y = cce::tile, threads = cce::product_threads;
};

/// Where the factors have 16 bits, simdgroups multiply matrices. dL/dz is a factor of 16 bits as a bfloat only: most of
/// its numbers are too small for a half.
Tile tile_of(const std::string& stem, const std::string& type) {
  const bool has_matrices = type == "bfloat" || (type == "half" && stem == "logits");
  if (!has_matrices) return {};
  return {cce::matrix_tile, stem == "dhidden" ? cce::matrix_few_rows : cce::matrix_tile, cce::matrix_threads};
}

/// A thread has `seen_entries` at a time. The number decides the order of additions, so that it may depend on V alone.
std::uint64_t loss_threads(std::uint64_t V) {
  return std::clamp<std::uint64_t>(parts_of(V, cce::seen_entries * simdgroup) * simdgroup, simdgroup,
                                   cce::max_loss_threads);
}

FunctionConstants constants_of(const CceStatement& statement) {
  FunctionConstants constants;
  constants.set(cce::has_bias_constant, statement.has_bias);
  constants.set(cce::has_softcap_constant, statement.has_softcap);
  constants.set(cce::has_smoothing_constant, statement.has_smoothing);
  if (statement.path == CcePath::production) return constants;
  constants.set(cce::with_dweight_constant, statement.work.dweight);
  constants.set(cce::with_dbias_constant, statement.work.dbias);
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
    Result<void> result;
    if (is_plain_)
      result = add_plain();
    else if (statement_.M == 0)
      result = add_sums({0, 0, 0, statement_.V, statement_.work});
    else
      for (const CceBlock& block : cce_blocks(statement_))
        if (result) result = add_block(block);
    if (result) result = add_rows();
    return result;
  }

  std::vector<CceDispatch> take() { return std::move(dispatches_); }

 private:
  Result<void> add_block(const CceBlock& block) {
    const CceWork& work = block.work;
    const std::uint64_t parts = parts_of(block.entries, cce::differentiated);
    Result<void> result = add_product("logits", block, block.tokens, block.entries, statement_.H);
    if (result && work.forward)
      result = add_typed("loss", block, {block.tokens, 1, 1}, element_work * statement_.V, loss_threads(statement_.V));
    if (result && (work.dhidden || work.dweight || work.dbias))
      result = add_typed("differentiate", block, {parts, block.tokens, 1}, element_work * cce::differentiated);
    if (result && work.dhidden) result = add_product("dhidden", block, statement_.H, block.tokens, block.entries);
    return result ? add_sums(block) : result;
  }

  /// The sums over the tokens of a block: zeros if it has none.
  Result<void> add_sums(const CceBlock& block) {
    Result<void> result;
    if (block.work.dweight) result = add_product("dweight", block, statement_.H, block.entries, block.tokens);
    if (result && block.work.dbias)
      result = add_typed("dbias", block, {parts_of(block.entries, cce::product_threads), 1, 1},
                         element_work * cce::product_threads * block.tokens);
    return result;
  }

  /// The rows of ignored tokens, and the losses of all.
  Result<void> add_rows() {
    const std::uint64_t ignored = statement_.N - statement_.M, most = std::max(ignored, statement_.M);
    Result<void> result;
    if (statement_.work.forward && most != 0)
      result = add("cce_store_losses", {}, {parts_of(most, simdgroup), 1, 1}, element_work * simdgroup);
    if (result && statement_.work.dhidden && ignored != 0)
      result = add("cce_clear_dhidden_" + statement_.type, {}, {ignored, 1, 1},
                   saturated_product(element_work, statement_.H));
    return result;
  }

  Result<void> add_plain() {
    const CceWork& work = statement_.work;
    Result<void> result;
    if (work.forward) result = add_tokens("plain_forward");
    if (result && work.dhidden) result = add_tokens("plain_dhidden");
    for (std::uint64_t first = 0; result && (work.dweight || work.dbias) && first < statement_.V;
         first += statement_.chunk) {
      const std::uint64_t count = std::min(statement_.chunk, statement_.V - first);
      result =
          add_typed("plain_dweight", {0, 0, first, count, work}, {count, 1, 1}, plain_work(statement_.M), simdgroup);
    }
    return result;
  }

  /// A dispatch of the plain path for each chunk of tokens.
  Result<void> add_tokens(const char* stem) {
    Result<void> result;
    for (std::uint64_t first = 0; result && first < statement_.M; first += statement_.chunk) {
      const std::uint64_t count = std::min(statement_.chunk, statement_.M - first);
      result =
          add_typed(stem, {first, count, 0, 0, statement_.work}, {count, 1, 1}, plain_work(statement_.V), simdgroup);
    }
    return result;
  }

  /// A row of the plain path, with the elements of all its `columns` twice.
  std::uint64_t plain_work(std::uint64_t columns) const { return saturated_product(statement_.H, 2 * columns); }

  /// Sums of `depth` terms, whose tiles lie in the grid along x and y.
  Result<void> add_product(const char* stem, const CceBlock& block, std::uint64_t x, std::uint64_t y,
                           std::uint64_t depth) {
    const Tile tile = tile_of(stem, statement_.type);
    return add_typed(stem, block, {parts_of(x, tile.x), parts_of(y, tile.y), 1},
                     saturated_product(depth, tile.x * tile.y), tile.threads);
  }

  /// `of_group`: its work. `threads`: the number in a group that the kernel needs. The plain path takes more if it can.
  Result<void> add_typed(const char* stem, const CceBlock& block, Size groups, std::uint64_t of_group,
                         std::uint64_t threads = cce::product_threads) {
    const std::string name = fmt::format("cce_{}_{}", stem, statement_.type);
    return add(name, block, groups, of_group, threads, is_plain_ ? plain_threads : threads);
  }

  Result<void> add(const std::string& name, const CceBlock& block, Size groups, std::uint64_t of_group,
                   std::uint64_t threads = simdgroup, std::uint64_t max_threads = simdgroup) {
    Result<std::shared_ptr<const ComputePipeline>> pipeline = pipelines_.get(name, constants_);
    if (!pipeline) return tl::unexpected(pipeline.error());
    if (const Result<void> fits = check_pipeline(name, **pipeline, threads); !fits) return fits;
    cce::Shape shape = statement_.shape;
    shape.first_token = static_cast<std::uint32_t>(block.first_token);
    shape.tokens = static_cast<std::uint32_t>(block.tokens);
    shape.first_entry = static_cast<std::uint32_t>(block.first_entry);
    shape.entries = static_cast<std::uint32_t>(block.entries);
    shape.chunk = static_cast<std::uint32_t>(statement_.chunk);
    if (threads < max_threads) threads = std::min(max_threads, max_group_threads(**pipeline, limits_));
    dispatches_.push_back({{std::move(*pipeline), threads}, shape, groups, work_of(groups, of_group)});
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

std::string cce_logits_name(CcePath path, const std::string& type) {
  return (path == CcePath::plain ? "cce_plain_forward_" : "cce_logits_") + type;
}

}  // namespace assay::metal::host
