// Runs a plan on buffers of its own.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>

#include "metal/host/buffers.h"
#include "metal/host/commands.h"
#include "metal/host/plan.h"

namespace assay::metal::host {

template <class Buffers>
struct PlanInput {
  BufferPart Buffers::* part;
  std::span<const std::byte> contents;
};

/// The buffers that the plan needs, with copies of the inputs that are not empty. Errors: those of new_buffer.
template <class Buffers, class Plan>
Result<Buffers> new_buffers(Device& device, const char* operation, const Plan& plan,
                            std::initializer_list<PlanInput<Buffers>> inputs) {
  Buffers buffers;
  for (const PlanBuffer<Buffers>& one : plan.buffers()) {
    if (one.bytes == 0) continue;
    std::span<const std::byte> contents;
    for (const auto& input : inputs)
      if (input.part == one.part) contents = input.contents;
    auto made = contents.empty() ? new_buffer(device, operation, one.name, one.bytes)
                                 : new_buffer(device, operation, one.name, contents);
    if (!made) return tl::unexpected(made.error());
    (buffers.*one.part).buffer = std::move(*made);
  }
  return buffers;
}

/// Commits `count` dispatches of the plan from `first` on. Errors: those of commit_each.
template <class Buffers, class Plan>
Result<Commands> commit(CommandQueue& queue, const Plan& plan, const Buffers& buffers, std::size_t first,
                        std::size_t count) {
  return commit_each(queue, plan.command_ranges(first, count),
                     [&](ComputeCommandEncoder& encoder, const CommandRange& range) {
                       return plan.encode(encoder, buffers, range.first, range.count);
                     });
}

}  // namespace assay::metal::host
