// The half of the encoder that looks at a dispatch: what Metal's validation would refuse, and the launch it becomes.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "metal/emulator/emulator_encoder.h"

namespace assay::metal::emulator {

namespace {

bool is_empty(const Size& size) {
  return size.width == 0 || size.height == 0 || size.depth == 0;
}

bool fits_in_32_bits(const Size& size) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  return size.width <= most && size.height <= most && size.depth <= most;
}

std::string numbered(const Argument& argument) {
  const bool is_buffer = argument.kind == Argument::Kind::buffer;
  return fmt::format("{}({}) `{}`", is_buffer ? "buffer" : "threadgroup", argument.index, argument.name);
}

}  // namespace

Result<void> EmulatorEncoder::check_dispatch(const char* call, Size threads, Size group) const {
  const auto refused = [&](const char* what, const Size& size) {
    return error(Error::Kind::argument, fmt::format("{} {}({}, {}, {}): expected 1 to 2^32 - 1 threads along each axis",
                                                    call, what, size.width, size.height, size.depth));
  };
  if (!pipeline_) return error(Error::Kind::order, fmt::format("{} no compute pipeline state is set", call));
  if (is_empty(group)) return refused("threadsPerThreadgroup", group);
  if (is_empty(threads) || !fits_in_32_bits(threads)) return refused("threads of the grid", threads);
  if (Result<void> fit = check_group(group); !fit) return fit;
  for (const Argument& argument : pipeline_->function().arguments())
    if (Result<void> fit = check_binding(argument); !fit) return fit;
  std::uint64_t memory = 0;
  for (const std::uint64_t length : threadgroup_lengths_) memory += length;
  const std::uint64_t most = device_->limits.max_threadgroup_memory_length;
  if (memory > most)
    return error(
        Error::Kind::limit,
        fmt::format("Threadgroup memory size ({}) exceeds the maximum threadgroup memory allowed ({})", memory, most));
  return {};
}

Result<void> EmulatorEncoder::check_group(Size group) const {
  const auto refused = [&](std::uint64_t most, const char* whose) {
    return error(Error::Kind::limit,
                 fmt::format("(threadsPerThreadgroup.width({}) * threadsPerThreadgroup.height({}) * "
                             "threadsPerThreadgroup.depth({}))({}) must be <= {}. ({} threadgroup size limit)",
                             group.width, group.height, group.depth, group.count(), most, whose));
  };
  const std::uint64_t device = device_->limits.max_total_threads_per_threadgroup;
  const std::uint64_t kernel = pipeline_->max_total_threads_per_threadgroup();
  const bool is_long = group.width > device || group.height > device || group.depth > device;
  if (is_long || group.count() > device) return refused(device, "device");
  if (group.count() > kernel) return refused(kernel, "kernel");
  return {};
}

/// A buffer that is not bound is no error: a kernel may have no use for it. memcheck reports the use.
Result<void> EmulatorEncoder::check_binding(const Argument& argument) const {
  if (argument.kind != Argument::Kind::buffer || argument.index >= bindings_.size()) return {};
  const Binding& binding = bindings_[argument.index];
  if (!binding.buffer) return {};
  const std::string& kernel = pipeline_->function().name();
  const std::uint64_t room = binding.buffer->length() - binding.offset;
  if (argument.is_reference && room < argument.element_size)
    return error(Error::Kind::binding,
                 fmt::format("Compute Function({}): argument {}[0] from buffer({}) with offset({}) and "
                             "length({}) has space for {} bytes, but argument has a length({}).",
                             kernel, argument.name, argument.index, binding.offset, binding.buffer->length(), room,
                             argument.element_size));
  if (argument.element_alignment != 0 && binding.offset % argument.element_alignment != 0)
    return error(Error::Kind::binding,
                 fmt::format("Compute Function({}): the offset into the buffer {} that is bound at buffer "
                             "index {} must be a multiple of {} but was set to {}.",
                             kernel, argument.name, argument.index, argument.element_alignment, binding.offset));
  return {};
}

Command EmulatorEncoder::command(Size threads, Size group) const {
  Command command;
  command.pipeline = pipeline_;
  command.launch = std::make_unique<Launch>();
  Launch& launch = *command.launch;
  const EmulatorFunction& function = pipeline_->function();
  launch.entry = function.function().entry;
  launch.is_checked = device_->is_checked && function.shader().shader->is_checked != 0;
  launch.begins_sequence = begins_sequence_;
  launch.threadgroup_lengths = threadgroup_lengths_;
  launch.max_threadgroup_memory = device_->limits.max_threadgroup_memory_length;
  launch.static_length = pipeline_->static_length();
  launch.prepare = [&function, keep = pipeline_] { function.write_constants(); };
  launch.info.grid = Grid(threads, group);
  for (std::size_t index = 0; index < bindings_.size(); ++index) {
    if (!bindings_[index].buffer) continue;
    command.buffers.push_back(bindings_[index].buffer);
    launch.buffers[index] = bindings_[index].buffer->contents() + bindings_[index].offset;
  }
  describe(launch.info);
  return command;
}

/// Only what the kernel takes counts as bound to it.
void EmulatorEncoder::describe(DispatchInfo& info) const {
  const EmulatorFunction& function = pipeline_->function();
  info.kernel = function.name();
  info.object = function.shader().object;
  info.load_address = function.shader().load_address;
  info.threadgroup_names.resize(threadgroup_lengths_.size());
  for (const Argument& argument : function.arguments()) {
    if (argument.kind == Argument::Kind::position || argument.index >= bindings_.size()) continue;
    if (argument.kind == Argument::Kind::threadgroup_memory) {
      info.threadgroup_names[argument.index] = argument.name;
      if (threadgroup_lengths_[argument.index] == 0) info.unbound.push_back(numbered(argument));
    } else if (const Binding& binding = bindings_[argument.index]; binding.buffer) {
      info.memory.push_back(
          {&binding.buffer->allocation(), binding.offset, BoundMemory::Kind::buffer, argument.index, argument.name});
    } else {
      info.unbound.push_back(numbered(argument));
    }
  }
}

}  // namespace assay::metal::emulator
