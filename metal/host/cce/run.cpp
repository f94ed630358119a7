#include "metal/host/cce/run.h"

#include <array>
#include <utility>

#include "metal/host/buffers.h"

namespace assay::metal::host {

namespace {

Result<CceBuffers> buffers_for(Device& device, const CcePlan& plan, const CceInputs& inputs) {
  enum { hidden, weight, bias, loss, lse, dhidden, dweight, dbias, count };
  Allocation<std::array<std::shared_ptr<Buffer>, count>> allocation(device, "cce");
  const auto reserve = [&](std::uint32_t index, const char* name, std::uint64_t bytes) {
    if (bytes != 0) allocation.reserve(index, name, bytes);
  };
  allocation.copy(hidden, "hidden", inputs.hidden);
  allocation.copy(weight, "weight", inputs.weight);
  if (plan.bias_bytes() != 0) allocation.copy(bias, "bias", inputs.bias);
  if (plan.statement().work.forward)
    allocation.reserve(lse, "lse", plan.lse_bytes());
  else
    allocation.copy(lse, "lse", std::as_bytes(inputs.lse));
  reserve(loss, "loss", plan.loss_bytes());
  reserve(dhidden, "dhidden", plan.dhidden_bytes());
  reserve(dweight, "dweight", plan.dweight_bytes());
  reserve(dbias, "dbias", plan.dbias_bytes());
  auto made = allocation.take();
  if (!made) return tl::unexpected(made.error());
  CceBuffers buffers;
  BufferPart* const parts[] = {&buffers.hidden, &buffers.weight,  &buffers.bias,    &buffers.loss,
                               &buffers.lse,    &buffers.dhidden, &buffers.dweight, &buffers.dbias};
  for (std::size_t index = 0; index < count; ++index) parts[index]->buffer = std::move((*made)[index]);
  return buffers;
}

}  // namespace

Result<CceRun> CceRun::start(Device& device, CommandQueue& queue, const CcePlan& plan, const CceInputs& inputs) {
  CceRun run;
  Result<CceBuffers> buffers = buffers_for(device, plan, inputs);
  if (!buffers) return tl::unexpected(buffers.error());
  run.buffers_ = std::move(*buffers);
  Result<Commands> commands =
      commit_each(queue, plan.command_ranges(), [&](ComputeCommandEncoder& encoder, const CommandRange& range) {
        return plan.encode(encoder, run.buffers_, range.first, range.count);
      });
  if (!commands) return tl::unexpected(commands.error());
  run.commands_ = std::move(*commands);
  return run;
}

Result<void> CceRun::wait() const {
  return host::wait(commands_);
}

}  // namespace assay::metal::host
