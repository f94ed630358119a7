#include "validation/transport/metal/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "metal/device/encoder_rules.h"
#include "metal/device/or_throw.h"
#include "metal/emulator/emulator_device.h"
#include "metal/host/commands.h"
#include "validation/core/kernel_device.h"
#include "validation/transport/metal/reflection.h"

namespace assay::validation::transport {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{1} << 36, max_threads = (std::int64_t{1} << 32) - 1,
                       max_passes = 1'000'000;

/// The default limit of steps of one threadgroup: a constant, plus a number for each element of the problem.
constexpr std::uint64_t min_steps = 1'000'000, steps_for_each_element = 10'000;

std::span<std::byte> contents_of(metal::Buffer& buffer) {
  return {buffer.contents(), buffer.length()};
}

/// Stores the value in its type. Throws std::runtime_error if the value does not fit.
void store(const MetalValue& value, const MetalVariables& variables, std::byte* to) {
  const MetalScalar& type = *find_metal_scalar(value.type);
  const double number = value.value.extended_number(variables);
  if (!holds(type, number))
    throw std::runtime_error(
        fmt::format("{} is {:.17g}: expected what {} holds", value.value.where(), number, type.name));
  type.store(number, to);
}

template <class T>
void set_constant(metal::FunctionConstants& constants, std::uint32_t index, const std::byte* bytes) {
  T value{};
  std::memcpy(&value, bytes, sizeof(T));
  constants.set(index, value);
}

}  // namespace

MetalRun::MetalRun(metal::Device& device, metal::Library& library, const MetalBinding& binding, const MetalCall& call)
    : device_(device),
      library_(library),
      binding_(binding),
      call_(call),
      variables_(call.variables()),
      queue_(device.new_command_queue()) {
  make_arrays();
  make_scratch();
  fill();
  set_step_limit();
}

void MetalRun::run() {
  run_passes(binding_.passes);
  expect_inputs_kept();
  for (const auto& [name, array] : call_.arrays())
    if (const auto buffer = buffers_.find(name); array.fetch && buffer != buffers_.end())
      array.fetch(contents_of(*buffer->second));
}

/// Poisons outputs; to the device their memory counts as unwritten.
void MetalRun::make_arrays() {
  for (const auto& [name, array] : call_.arrays()) {
    if (array.bytes == 0 || !binding_.uses(name)) continue;
    if (array.fetch) {
      add_buffer(name, array.bytes);
      MetalCall::poison(contents_of(*buffers_.at(name)));
    } else {
      buffers_[name] = or_throw(device_.new_buffer(std::span<const std::byte>(array.contents), name));
    }
  }
}

void MetalRun::make_scratch() {
  for (const auto& [name, scratch] : binding_.scratch) {
    const auto size = static_cast<std::int64_t>(find_metal_scalar(scratch.type)->bytes);
    const std::int64_t elements = scratch.elements.integer(variables_, 0, max_bytes / size);
    if (elements > 0) add_buffer(name, static_cast<std::uint64_t>(elements * size));
  }
}

void MetalRun::add_buffer(const std::string& name, std::uint64_t bytes) {
  if (bytes > static_cast<std::uint64_t>(max_bytes))
    throw std::runtime_error(fmt::format("array {} of {} bytes: expected at most {}", name, bytes, max_bytes));
  buffers_[name] = or_throw(device_.new_buffer(bytes, name));
}

void MetalRun::fill() {
  for (const auto& [name, value] : binding_.fill) {
    const auto buffer = buffers_.find(name);
    if (buffer == buffers_.end()) continue;
    const auto scratch = binding_.scratch.find(name);
    const std::string& type = scratch == binding_.scratch.end() ? binding_.types.at(name) : scratch->second.type;
    std::array<std::byte, 8> element{};
    store({type, value}, variables_, element.data());
    const std::size_t size = find_metal_scalar(type)->bytes;
    const auto contents = contents_of(*buffer->second);
    for (std::size_t at = 0; at < contents.size(); at += size) std::memcpy(contents.data() + at, element.data(), size);
    or_throw(buffer->second->did_modify(0, contents.size()));
  }
}

void MetalRun::set_step_limit() {
  std::uint64_t elements = 0;
  for (const auto& [name, array] : call_.arrays())
    elements += array.bytes / find_metal_scalar(binding_.types.at(name))->bytes;
  std::uint64_t steps = min_steps + elements * steps_for_each_element;
  if (binding_.step_limit)
    steps = static_cast<std::uint64_t>(binding_.step_limit->integer(variables_, 1, std::int64_t{1} << 53));
  if (auto* const emulated = dynamic_cast<metal::emulator::EmulatorDevice*>(&device_)) emulated->set_step_limit(steps);
  step_limit_ = steps;
}

metal::FunctionConstants MetalRun::constants() const {
  metal::FunctionConstants constants;
  for (const auto& constant : binding_.constants) {
    std::array<std::byte, 8> bytes{};
    store(constant.value, variables_, bytes.data());
    const std::size_t size = find_metal_scalar(constant.value.type)->bytes;
    if (size == 1) set_constant<std::uint8_t>(constants, constant.index, bytes.data());
    if (size == 2) set_constant<std::uint16_t>(constants, constant.index, bytes.data());
    if (size == 4) set_constant<std::uint32_t>(constants, constant.index, bytes.data());
    if (size == 8) set_constant<std::uint64_t>(constants, constant.index, bytes.data());
  }
  return constants;
}

void MetalRun::run_passes(const std::vector<MetalPass>& passes) {
  for (const auto& pass : passes) repeat(pass);
}

void MetalRun::repeat(const MetalPass& pass) {
  const auto once = [&] {
    if (++passes_ > max_passes)
      throw std::runtime_error(
          fmt::format("{}: expected at most {} passes, repeated ones with them", pass.where, max_passes));
    if (pass.condition && pass.condition->number(variables_) == 0) return;
    pass.passes.empty() ? dispatch(pass) : run_passes(pass.passes);
  };
  if (!pass.repeat) return once();
  constexpr std::int64_t any = std::int64_t{1} << 53;
  const MetalRepeat& repeat = *pass.repeat;
  const std::int64_t from = repeat.from.integer(variables_, -any, any),
                     step = repeat.step.integer(variables_, -any, any);
  const std::int64_t times = repeat.times.integer(variables_, 0, max_passes);
  for (std::int64_t i = 0; i < times; ++i) {
    variables_[repeat.variable] = static_cast<double>(from) + static_cast<double>(i) * static_cast<double>(step);
    once();
  }
  variables_.erase(repeat.variable);
}

metal::Size MetalRun::size_of(const std::vector<MetalExpression>& extents) const {
  metal::Size size;
  std::uint64_t* const to[] = {&size.width, &size.height, &size.depth};
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    *to[axis] = static_cast<std::uint64_t>(extents[axis].integer(variables_, 0, max_threads));
  return size;
}

/// Does not dispatch a grid without threads, which Metal would refuse.
void MetalRun::dispatch(const MetalPass& pass) {
  const metal::Size grid = size_of(pass.grid);
  if (grid.is_empty()) return;
  const metal::Size group = size_of(pass.group);
  expect_few_threads(pass, pass.counts_groups ? metal::threads_of(grid, group) : grid);
  const auto commands = metal::host::commit(*queue_, [&](metal::ComputeCommandEncoder& encoder) {
    encode(pass, grid, group, encoder);
    return metal::Result<void>();
  });
  const auto ended = commands ? metal::host::wait(**commands) : metal::Result<void>(tl::unexpected(commands.error()));
  throw_reports(device_);
  if (!ended) throw std::runtime_error(fmt::format("{} ({}): {}", pass.where, pass.function, ended.error().text));
}

/// Refuses a grid with more threads than the limit of steps, which would take too long.
void MetalRun::expect_few_threads(const MetalPass& pass, metal::Size threads) const {
  const metal::Size in_all = metal::threads_of(metal::threads_of({threads.width}, {threads.height}), {threads.depth});
  if (in_all.width > step_limit_)
    throw std::runtime_error(fmt::format("{} ({}): {} x {} x {} threads: expected at most {}, the limit of steps",
                                         pass.where, pass.function, threads.width, threads.height, threads.depth,
                                         step_limit_));
}

void MetalRun::encode(const MetalPass& pass, metal::Size grid, metal::Size group,
                      metal::ComputeCommandEncoder& encoder) const {
  const auto function = or_throw(library_.new_function(pass.function, constants()));
  encoder.set_pipeline(or_throw(device_.new_pipeline(function)));
  for (const auto& bound : pass.buffers) {
    if (bound.array.empty()) {
      encoder.set_bytes(bytes_of(bound), bound.index);
    } else if (const auto buffer = buffers_.find(bound.array); buffer != buffers_.end()) {
      encoder.set_buffer(buffer->second, 0, bound.index);
    }
  }
  for (const auto& memory : pass.threadgroup_memory) {
    const std::int64_t bytes = memory.bytes.integer(variables_, 0, std::int64_t{1} << 30);
    encoder.set_threadgroup_memory_length(static_cast<std::uint64_t>((bytes + 15) / 16 * 16), memory.index);
  }
  pass.counts_groups ? encoder.dispatch_threadgroups(grid, group) : encoder.dispatch_threads(grid, group);
}

std::vector<std::byte> MetalRun::bytes_of(const MetalBound& bound) const {
  std::vector<std::byte> bytes(bytes_of_fields(bound.values));
  std::size_t at = 0;
  for (const auto& field : bound.values) {
    const std::size_t size = find_metal_scalar(field.type)->bytes;
    at = (at + size - 1) / size * size;
    store(field, variables_, bytes.data() + at);
    at += size;
  }
  return bytes;
}

void MetalRun::expect_inputs_kept() const {
  for (const auto& [name, buffer] : buffers_) {
    const auto array = call_.arrays().find(name);
    if (array == call_.arrays().end() || array->second.fetch) continue;
    const auto contents = contents_of(*buffer);
    const auto [changed, given] = std::ranges::mismatch(contents, array->second.contents);
    if (changed == contents.end()) continue;
    const auto at =
        static_cast<std::size_t>(changed - contents.begin()) / find_metal_scalar(binding_.types.at(name))->bytes;
    throw std::runtime_error(fmt::format("the shader has changed its input {}[{}]", name, at));
  }
}

}  // namespace assay::validation::transport
