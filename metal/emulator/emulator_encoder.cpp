#include "metal/emulator/emulator_encoder.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "metal/emulator/texture_rules.h"

namespace assay::metal::emulator {

namespace {

std::string numbered(const Argument& argument) {
  return fmt::format("{}({}) `{}`", attribute_of(argument.kind), argument.index, argument.name);
}

}  // namespace

EmulatorEncoder::EmulatorEncoder(std::shared_ptr<DeviceState> device, DispatchType type, Finish finish)
    : RecordingEncoder(device->epoch, device->limits),
      device_(std::move(device)),
      type_(type),
      finish_(std::move(finish)) {}

Result<std::shared_ptr<EmulatorBuffer>> EmulatorEncoder::copy_of(std::span<const std::byte> bytes) {
  return EmulatorBuffer::create(device_, bytes, {});
}

void EmulatorEncoder::use_resource(const std::shared_ptr<Buffer>& buffer) {
  constexpr const char* call = "useResource:usage:";
  if (!state().is_usable(call)) return;
  resources_.push_back(std::dynamic_pointer_cast<EmulatorBuffer>(buffer));
  if (!resources_.back())
    state().refuse({Error::Kind::argument, fmt::format("{} expected a buffer of this device", call)});
}

void EmulatorEncoder::set_texture(const std::shared_ptr<Buffer>& texels, abi::Texture texture, std::uint32_t index) {
  constexpr const char* call = "setTexture:atIndex:";
  if (!state().is_usable(call)) return;
  BoundTexture bound{std::dynamic_pointer_cast<EmulatorBuffer>(texels), texture};
  if (!bound.texels || index >= abi::max_textures)
    return state().refuse({Error::Kind::argument, fmt::format("{} index({}): expected a buffer of this device and an "
                                                              "index below {}",
                                                              call, index, abi::max_textures)});
  if (!state().accepts(check_texture(texture, texels->length()))) return;
  bound.texture.texels = texels->contents();
  textures_[index] = std::move(bound);
}

void EmulatorEncoder::set_sampler(const abi::Sampler& sampler, std::uint32_t index) {
  constexpr const char* call = "setSamplerState:atIndex:";
  if (!state().is_usable(call)) return;
  if (index >= abi::max_samplers)
    return state().refuse(
        {Error::Kind::argument, fmt::format("{} index({}) must be < {}", call, index, abi::max_samplers)});
  samplers_[index] = sampler;
}

Result<void> EmulatorEncoder::check_textures() const {
  for (const Argument& argument : pipeline()->function().arguments()) {
    const bool is_texture = argument.kind == Argument::Kind::texture;
    if (argument.kind == Argument::Kind::sampler && !samplers_.contains(argument.index))
      return error(Error::Kind::binding, fmt::format("{}: no sampler is bound at index {}, for `{}`",
                                                     pipeline()->function().name(), argument.index, argument.name));
    if (!is_texture || !textures_.contains(argument.index)) continue;
    const auto fit = check_texel_type(pipeline()->function().name(), argument, textures_.at(argument.index).texture);
    if (!fit) return fit;
  }
  return {};
}

/// A texture that is not bound is empty; a sampler that is not bound is Metal's default.
void EmulatorEncoder::bind_textures(Command& command) const {
  const abi::Function& function = pipeline()->function().function();
  Launch& launch = *command.launch;
  for (const abi::Argument& argument : std::span(function.arguments, function.argument_count)) {
    const std::size_t count = argument.index + std::size_t{1};
    if (argument.kind == abi::ArgumentKind::texture && launch.textures.size() < count) launch.textures.resize(count);
    if (argument.kind == abi::ArgumentKind::sampler && launch.samplers.size() < count) launch.samplers.resize(count);
  }
  for (const auto& [index, bound] : textures_) {
    if (index >= launch.textures.size()) continue;
    launch.textures[index] = bound.texture;
    command.buffers.push_back(bound.texels);
  }
  for (const auto& [index, sampler] : samplers_)
    if (index < launch.samplers.size()) launch.samplers[index] = sampler;
}

/// More would take days.
Result<void> EmulatorEncoder::check_threads(Size threads, Size group) const {
  constexpr std::uint64_t most_threads = std::uint64_t{1} << 40;
  const Size groups = Grid(threads, group).groups();
  const std::uint64_t all = threads_of(threads_of({groups.width}, {groups.height}), {groups.depth}).width;
  if (ChosenGroups(all, device_->only_groups).count() <= most_threads / group.count()) return {};
  return error(Error::Kind::limit,
               fmt::format("a grid of {} x {} x {} threads in groups of {}: the emulator runs at most 2^40 threads",
                           threads.width, threads.height, threads.depth, group.count()));
}

void EmulatorEncoder::record(Size threads, Size group) {
  if (!state().accepts(check_threads(threads, group)) || !state().accepts(check_textures())) return;
  commands_.push_back(command(threads, group));
  begins_sequence_ = type_ == DispatchType::serial;
}

void EmulatorEncoder::memory_barrier() {
  if (state().is_usable("memoryBarrierWithScope:")) begins_sequence_ = true;
}

Result<void> EmulatorEncoder::end_encoding() {
  if (state().is_ended()) return state().end();
  const Result<void> end = state().end();
  finish_(std::move(commands_), state().error());
  return end;
}

Command EmulatorEncoder::command(Size threads, Size group) const {
  Command command;
  command.pipeline = pipeline();
  command.launch = std::make_unique<Launch>();
  Launch& launch = *command.launch;
  const EmulatorFunction& function = pipeline()->function();
  launch.entry = function.function().entry;
  launch.is_checked = device_->is_checked && function.shader().shader->is_checked != 0;
  launch.begins_sequence = begins_sequence_;
  launch.is_alone = type_ == DispatchType::serial;
  launch.threadgroup_lengths = threadgroup_lengths();
  launch.limits = device_->limits;
  launch.step_limit = device_->step_limit;
  launch.only_groups = device_->only_groups;
  launch.static_length = pipeline()->static_length();
  launch.constants = function.shader().constants.get();
  launch.prepare = [&function, keep = pipeline()] { return function.write_constants(); };
  launch.info.grid = Grid(threads, group);
  for (std::size_t index = 0; index < bindings().size(); ++index) {
    if (!bindings()[index].buffer) continue;
    command.buffers.push_back(bindings()[index].buffer);
    launch.buffers[index] = bindings()[index].buffer->contents() + bindings()[index].offset;
  }
  bind_textures(command);
  describe(launch.info);
  for (const auto& resource : resources_) {
    command.buffers.push_back(resource);
    launch.info.memory.push_back({&resource->allocation(), 0, BoundMemory::Kind::resource, 0, resource->label()});
  }
  for (const Argument& argument : function.absent_buffers()) bind_absent(argument, command);
  return command;
}

/// Gives the kernel zeros for an argument that is not there. A compiler may move a read of it in front of the branch
/// that asks for the function constant, and published kernels write such a read themselves.
void EmulatorEncoder::bind_absent(const Argument& argument, Command& command) const {
  static constexpr std::array<std::byte, std::size_t{1} << 16> zeros{};
  const auto buffer = EmulatorBuffer::create(device_, zeros, {});
  if (!buffer) return;
  (*buffer)->allocation().is_absent = true;
  command.buffers.push_back(*buffer);
  command.launch->buffers[argument.index] = (*buffer)->contents();
  command.launch->info.memory.push_back(
      {&(*buffer)->allocation(), 0, BoundMemory::Kind::absent_buffer, argument.index, argument.name});
}

/// Memory that the kernel does not take does not count as bound.
void EmulatorEncoder::describe(DispatchInfo& info) const {
  const EmulatorFunction& function = pipeline()->function();
  info.kernel = function.name();
  info.position = {function.function().file, function.function().line, function.function().column};
  info.object = function.shader().object;
  info.load_address = function.shader().load_address;
  info.threadgroup_names.resize(threadgroup_lengths().size());
  for (const Argument& argument : function.arguments()) {
    if (argument.kind == Argument::Kind::texture) {
      const auto bound = textures_.find(argument.index);
      if (bound == textures_.end())
        info.unbound.push_back(numbered(argument));
      else
        info.memory.push_back({&bound->second.texels->allocation(), 0, BoundMemory::Kind::texture, argument.index,
                               argument.name, bound->second.texture});
    }
    if (argument.kind != Argument::Kind::buffer && argument.kind != Argument::Kind::threadgroup_memory) continue;
    if (argument.index >= bindings().size()) continue;
    if (argument.kind == Argument::Kind::threadgroup_memory) {
      info.threadgroup_names[argument.index] = argument.name;
      if (threadgroup_lengths()[argument.index] == 0) info.unbound.push_back(numbered(argument));
    } else if (const Binding& binding = bindings()[argument.index]; binding.buffer) {
      info.memory.push_back(
          {&binding.buffer->allocation(), binding.offset, BoundMemory::Kind::buffer, argument.index, argument.name});
      info.memory.back().is_written = argument.is_written;
    } else {
      info.unbound.push_back(numbered(argument));
    }
  }
}

}  // namespace assay::metal::emulator
