#include "validation/transport/metal/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "validation/core/kernel_device.h"
#include "validation/shader/bind.h"
#include "validation/shader/compiled.h"
#include "validation/shader/instantiate.h"

namespace assay::validation::transport {
namespace {

/// The default limit of steps of one threadgroup: a constant, plus a number for each element of the problem.
constexpr std::uint64_t min_steps = 1'000'000, steps_for_each_element = 10'000;

// NaN in every type, little-endian: 0x7ffd7ffd as float, 0x7ffd as half and bfloat.
constexpr std::array pattern = {std::byte{0xfd}, std::byte{0x7f}, std::byte{0xfd}, std::byte{0x7f}};

std::span<std::byte> contents_of(metal::Buffer& buffer) {
  return {buffer.contents(), buffer.length()};
}

/// To the device the memory counts as unwritten.
void poison(std::span<std::byte> contents) {
  for (std::size_t i = 0; i < contents.size(); ++i) contents[i] = pattern[i % pattern.size()];
}

}  // namespace

bool MetalCall::is_poison(const MetalScalar& type, const std::byte* element) {
  return type.bytes <= pattern.size() && std::memcmp(element, pattern.data(), type.bytes) == 0;
}

void MetalCall::refuse(const std::string& name, std::size_t index, double value, const MetalScalar& type) const {
  throw std::invalid_argument(fmt::format("{}: types.{} = {}: expected a type that holds {}[{}] = {:.0f}",
                                          document_.node.where(), name, type.name, name, index, value));
}

ShaderScript MetalCall::script(const std::vector<std::string>& kernels) {
  std::map<std::string, ShaderArray> arrays;
  std::uint64_t elements = 0;
  for (auto& [name, one] : arrays_) {
    elements += static_cast<std::uint64_t>(one.array.shape.front());
    if (document_.uses(name)) arrays[name] = std::move(one.array);
  }
  ShaderScript script = with_kernels(instantiate(document_, variables_, std::move(arrays)), kernels);
  if (!script.step_limit) script.step_limit = min_steps + elements * steps_for_each_element;
  script.most_threads = script.step_limit;
  script.shows_progress = false;
  return script;
}

void MetalCall::run(metal::Device& device, metal::Library& library) {
  ShaderScript passes = script(library.function_names());
  const ShaderFunctions functions = functions_of(passes, library);
  ShaderOutcome outcome;
  outcome.arrays = arrays_of(passes, functions);
  const ShaderBuffers buffers = make_buffers(device, outcome.arrays);
  for (const auto& [name, buffer] : buffers)
    if (arrays_.contains(name) && !outcome.arrays.at(name).bytes) poison(contents_of(*buffer));
  run_passes(device, passes, functions, buffers, outcome);
  throw_reports(device);
  if (outcome.error) throw std::runtime_error(outcome.error->text);
  expect_inputs_kept(outcome, buffers);
  for (const auto& [name, one] : arrays_)
    if (const auto buffer = buffers.find(name); one.fetch && buffer != buffers.end()) one.fetch(*buffer->second);
}

void MetalCall::expect_inputs_kept(const ShaderOutcome& outcome, const ShaderBuffers& buffers) const {
  for (const auto& [name, one] : arrays_) {
    const auto buffer = buffers.find(name);
    if (one.fetch || buffer == buffers.end()) continue;
    const auto contents = contents_of(*buffer->second);
    const auto [changed, given] = std::ranges::mismatch(contents, *outcome.arrays.at(name).bytes);
    if (changed == contents.end()) continue;
    const auto at = static_cast<std::size_t>(changed - contents.begin()) / scalar_size(document_.types.at(name));
    throw std::runtime_error(fmt::format("the shader has changed its input {}[{}]", name, at));
  }
}

}  // namespace assay::validation::transport
