#include "metal/host/svd/multiply.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>

#include "metal/host/buffers.h"
#include "metal/host/commands.h"

namespace assay::metal::host {

namespace {

constexpr const char* kernel_name = "svd_multiply";
constexpr std::uint64_t threads = std::uint64_t{svd::tile} * svd::tile;

using Buffers = std::array<std::shared_ptr<Buffer>, svd::product_index + 1>;

svd::ProductShape shape_of(const SvdFactor& first, const SvdFactor& second) {
  return {.rows = first.rows,
          .columns = second.columns,
          .depth = first.columns,
          .first_row_stride = first.row_stride,
          .first_column_stride = first.column_stride,
          .second_row_stride = second.row_stride,
          .second_column_stride = second.column_stride,
          .shares_second = second.count() == 1 ? 1U : 0U};
}

std::uint64_t tiles_of(std::uint32_t count) {
  return (std::uint64_t{count} + svd::tile - 1) / svd::tile;
}

/// The rows of tiles in each command buffer. Products of several matrices are not divided: the rSVD takes so few
/// matrices together that they stay below `max_work`.
std::vector<CommandRange> rows_of_tiles(const svd::ProductShape& shape, std::uint64_t products,
                                        std::uint64_t max_work) {
  const std::uint64_t of_row = work_of({tiles_of(shape.columns), 1, 1}, threads * shape.depth);
  return command_ranges(0, tiles_of(shape.rows), products == 1 ? max_work : ~std::uint64_t{0},
                        [&](std::size_t) { return of_row; });
}

Result<Buffers> allocate(Device& device, const SvdFactor& first, const SvdFactor& second) {
  Allocation<Buffers> allocation(device, "svd");
  allocation.copy(svd::first_factor_index, "first factor", std::as_bytes(first.elements));
  allocation.copy(svd::second_factor_index, "second factor", std::as_bytes(second.elements));
  allocation.reserve(svd::product_index, "product", sizeof(float) * first.count() * first.rows * second.columns);
  return allocation.take();
}

void encode(ComputeCommandEncoder& encoder, const std::shared_ptr<const ComputePipeline>& pipeline,
            const Buffers& buffers, const svd::ProductShape& whole, std::uint64_t products, const CommandRange& range) {
  const std::uint64_t first_row = range.first * svd::tile;
  svd::ProductShape shape = whole;
  shape.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(range.count * svd::tile, whole.rows - first_row));
  encoder.set_pipeline(pipeline);
  encoder.set_bytes(std::as_bytes(std::span(&shape, 1)), svd::product_shape_index);
  encoder.set_buffer(buffers[svd::first_factor_index], first_row * shape.first_row_stride * sizeof(float),
                     svd::first_factor_index);
  encoder.set_buffer(buffers[svd::second_factor_index], 0, svd::second_factor_index);
  encoder.set_buffer(buffers[svd::product_index], first_row * shape.columns * sizeof(float), svd::product_index);
  encoder.dispatch_threadgroups({tiles_of(shape.columns), range.count, products}, {threads, 1, 1});
}

}  // namespace

Result<std::vector<float>> svd_multiply(const SvdEngine& engine, Pipelines& pipelines, const SvdFactor& first,
                                        const SvdFactor& second, std::uint64_t max_work) {
  const auto pipeline = pipelines.get(kernel_name, FunctionConstants());
  if (!pipeline) return tl::unexpected(pipeline.error());
  if (const Result<void> fits = check_pipeline(kernel_name, **pipeline, threads); !fits)
    return tl::unexpected(fits.error());
  const svd::ProductShape shape = shape_of(first, second);
  std::unique_lock lock(engine.mutex);
  const Result<Buffers> buffers = allocate(engine.device, first, second);
  if (!buffers) return tl::unexpected(buffers.error());
  const auto commands = commit_each(engine.queue, rows_of_tiles(shape, first.count(), max_work),
                                    [&](ComputeCommandEncoder& encoder, const CommandRange& range) {
                                      encode(encoder, *pipeline, *buffers, shape, first.count(), range);
                                      return Result<void>();
                                    });
  lock.unlock();
  if (!commands) return tl::unexpected(commands.error());
  if (const Result<void> done = wait(*commands); !done) return tl::unexpected(done.error());
  std::vector<float> product(first.count() * shape.rows * shape.columns);
  std::memcpy(product.data(), (*buffers)[svd::product_index]->contents(), product.size() * sizeof(float));
  return product;
}

}  // namespace assay::metal::host
