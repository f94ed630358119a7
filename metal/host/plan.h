// What the plans of all operations share: a table of the caller's buffers, and dispatches one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "metal/device/compute_command_encoder.h"
#include "metal/host/buffer_part.h"
#include "metal/host/dispatch.h"
#include "metal/host/work.h"

namespace assay::metal::host {

/// A buffer of the caller. Every kernel of an operation has it at the same index.
template <class Buffers>
struct PlanBuffer {
  const char* name;
  BufferPart Buffers::* part;
  std::uint64_t bytes;     ///< if they are 0, it may be absent
  std::uint64_t multiple;  ///< of which its offset must be one
  std::uint32_t index;
  std::uint64_t of_member = 0;  ///< bytes of a member of the batch
};

/// The base of an operation's plan `Derived`, which has
///
///   shape_index         where the kernels expect Shape
///   buffers()           a PlanBuffer for each buffer
///   dispatch_count()
///   dispatch(n)         a Dispatch
///
/// and may have member_of and shape_of, as below.
template <class Derived, class Statement, class Workspace, class Buffers>
class Plan {
 public:
  /// Only encodes. A barrier precedes every dispatch, also the first: the encoder may be concurrent, and earlier
  /// dispatches in it may write the inputs. Errors: argument, for a buffer that is absent, too short or misaligned;
  /// nothing is encoded then. What the encoder refuses is the error of its end_encoding().
  Result<void> encode(ComputeCommandEncoder& encoder, const Buffers& buffers) const {
    return encode(encoder, buffers, 0, derived().dispatch_count());
  }

  /// Encodes `count` dispatches from `first` on: those of a command buffer, or one, to measure it.
  Result<void> encode(ComputeCommandEncoder& encoder, const Buffers& buffers, std::size_t first,
                      std::size_t count) const {
    for (const PlanBuffer<Buffers>& one : derived().buffers())
      if (auto fits = check_part(one.name, buffers.*one.part, one.bytes, one.multiple); !fits) return fits;
    std::uint64_t threadgroup_length = 0;
    for (std::size_t n = first; n < first + count; ++n) {
      const std::uint64_t member = derived().member_of(n);
      if (n == first || member != derived().member_of(n - 1)) bind(encoder, buffers, member);
      const auto& dispatch = derived().dispatch(n);
      encode(encoder, buffers, dispatch, std::exchange(threadgroup_length, dispatch.kernel.threadgroup_length));
    }
    if (threadgroup_length != 0) encoder.set_threadgroup_memory_length(0, 0);
    return {};
  }

  /// The dispatches that one command buffer may take, one range after the other: metal/host/work.h.
  std::vector<CommandRange> command_ranges() const { return command_ranges(0, derived().dispatch_count()); }
  /// The ranges of `count` dispatches from `first` on.
  std::vector<CommandRange> command_ranges(std::size_t first, std::size_t count) const {
    return host::command_ranges(first, count, statement_.max_work,
                                [&](std::size_t n) { return derived().dispatch(n).work; });
  }

  const Statement& statement() const { return statement_; }

 protected:
  // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): Derived calls it.
  Plan(Statement statement, Workspace workspace) : statement_(std::move(statement)), workspace_(std::move(workspace)) {}

  /// The member of the batch at which the buffers of dispatch n begin.
  std::uint64_t member_of(std::size_t) const { return 0; }
  /// The shape of a dispatch on these buffers.
  template <class Shape>
  Shape shape_of(const Dispatch<Shape>& dispatch, const Buffers&) const {
    return dispatch.shape;
  }

  Statement statement_;
  Workspace workspace_;

 private:
  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  void bind(ComputeCommandEncoder& encoder, const Buffers& buffers, std::uint64_t member) const {
    for (std::uint32_t index = 0; index < workspace_.size(); ++index)
      if (index != Derived::shape_index) encoder.set_buffer(workspace_[index], 0, index);
    for (const PlanBuffer<Buffers>& one : derived().buffers())
      bind_part(encoder, buffers.*one.part, one.bytes, one.index, member * one.of_member);
  }

  template <class Shape>
  void encode(ComputeCommandEncoder& encoder, const Buffers& buffers, const Dispatch<Shape>& dispatch,
              std::uint64_t threadgroup_length) const {
    const Kernel& kernel = dispatch.kernel;
    encoder.memory_barrier();
    encoder.set_pipeline(kernel.pipeline);
    const Shape shape = derived().shape_of(dispatch, buffers);
    encoder.set_bytes(std::as_bytes(std::span(&shape, 1)), Derived::shape_index);
    if (kernel.threadgroup_length != threadgroup_length)
      encoder.set_threadgroup_memory_length(kernel.threadgroup_length, 0);
    encoder.dispatch_threadgroups(dispatch.groups, {kernel.threads, 1, 1});
  }
};

}  // namespace assay::metal::host
