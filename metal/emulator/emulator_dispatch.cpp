// The half of the encoder that turns a dispatch into a Launch, after it has refused what Metal's validation would
// refuse.
#include <fmt/format.h>

#include <numeric>

#include "metal/device/encoder_rules.h"
#include "metal/emulator/emulator_encoder.h"

namespace assay::metal::emulator {

namespace {

std::string numbered(const Argument& argument) {
  const bool is_buffer = argument.kind == Argument::Kind::buffer;
  return fmt::format("{}({}) `{}`", is_buffer ? "buffer" : "threadgroup", argument.index, argument.name);
}

}  // namespace

Result<void> EmulatorEncoder::check_dispatch(const char* call, Size threads, Size group) const {
  if (!pipeline_) return error(Error::Kind::order, fmt::format("{} no compute pipeline state is set", call));
  if (Result<void> fit = check_grid(call, threads, group); !fit) return fit;
  const std::uint32_t max_threads = pipeline_->max_total_threads_per_threadgroup();
  if (Result<void> fit = check_group(group, max_threads, device_->limits); !fit) return fit;
  for (const Argument& argument : pipeline_->function().arguments())
    if (Result<void> fit = check_binding(argument); !fit) return fit;
  const auto memory = std::accumulate(threadgroup_lengths_.begin(), threadgroup_lengths_.end(), std::uint64_t{0});
  return check_threadgroup_memory(memory, device_->limits);
}

/// An unbound buffer is no error here, because the kernel may not use it. memcheck reports a use.
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
  return check_alignment(kernel, argument, binding.offset);
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
  launch.limits = device_->limits;
  launch.step_limit = device_->step_limit;
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

/// Memory that the kernel does not take does not count as bound.
void EmulatorEncoder::describe(DispatchInfo& info) const {
  const EmulatorFunction& function = pipeline_->function();
  info.kernel = function.name();
  info.position = {function.function().file, function.function().line, function.function().column};
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
