#include "metal/host/svd/multiply.h"

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

Size tiles_of(const svd::ProductShape& shape, std::uint64_t products) {
  const auto tiles = [](std::uint32_t count) { return (std::uint64_t{count} + svd::tile - 1) / svd::tile; };
  return {tiles(shape.columns), tiles(shape.rows), products};
}

Result<Buffers> allocate(Device& device, const SvdFactor& first, const SvdFactor& second) {
  Allocation<Buffers> allocation(device, "svd");
  allocation.copy(svd::first_factor_index, "first factor", std::as_bytes(first.elements));
  allocation.copy(svd::second_factor_index, "second factor", std::as_bytes(second.elements));
  allocation.reserve(svd::product_index, "product", sizeof(float) * first.count() * first.rows * second.columns);
  return allocation.take();
}

void encode(ComputeCommandEncoder& encoder, const std::shared_ptr<const ComputePipeline>& pipeline,
            const Buffers& buffers, const svd::ProductShape& shape, std::uint64_t products) {
  encoder.set_pipeline(pipeline);
  encoder.set_bytes(std::as_bytes(std::span(&shape, 1)), svd::product_shape_index);
  for (std::uint32_t index = svd::first_factor_index; index < buffers.size(); ++index)
    encoder.set_buffer(buffers[index], 0, index);
  encoder.dispatch_threadgroups(tiles_of(shape, products), {threads, 1, 1});
}

}  // namespace

Result<std::vector<float>> svd_multiply(const SvdEngine& engine, Pipelines& pipelines, const SvdFactor& first,
                                        const SvdFactor& second) {
  const auto pipeline = pipelines.get(kernel_name, FunctionConstants());
  if (!pipeline) return tl::unexpected(pipeline.error());
  if (const Result<void> fits = check_pipeline(kernel_name, **pipeline, threads); !fits)
    return tl::unexpected(fits.error());
  const svd::ProductShape shape = shape_of(first, second);
  std::unique_lock lock(engine.mutex);
  const Result<Buffers> buffers = allocate(engine.device, first, second);
  if (!buffers) return tl::unexpected(buffers.error());
  const auto commands = commit(engine.queue, [&](ComputeCommandEncoder& encoder) {
    encode(encoder, *pipeline, *buffers, shape, first.count());
    return Result<void>();
  });
  lock.unlock();
  if (!commands) return tl::unexpected(commands.error());
  if (const Result<void> done = wait(**commands); !done) return tl::unexpected(done.error());
  std::vector<float> product(first.count() * shape.rows * shape.columns);
  std::memcpy(product.data(), (*buffers)[svd::product_index]->contents(), product.size() * sizeof(float));
  return product;
}

}  // namespace assay::metal::host
