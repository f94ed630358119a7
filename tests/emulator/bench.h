// A device with buffers of int, on which a test runs one kernel and then looks at the buffers and the reports.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "metal/device/or_throw.h"
#include "metal/emulator/emulator_device.h"
#include "tests/emulator/kernels.h"

namespace assay::metal::emulator::test {

class Bench {
 public:
  explicit Bench(EmulatorOptions options = {}) : device(std::move(options)) {}

  /// Binds a buffer of ints at the next index.
  Bench& with(const std::vector<std::int32_t>& values) {
    buffers.push_back(or_throw(device.new_buffer(std::as_bytes(std::span(values)), "")));
    return *this;
  }
  Bench& unwritten(std::size_t count) {
    buffers.push_back(or_throw(device.new_buffer(count * sizeof(std::int32_t), "")));
    return *this;
  }
  Bench& with_threadgroup_memory(std::uint64_t bytes) {
    threadgroup_bytes = bytes;
    return *this;
  }

  std::optional<Error> run(Entry entry, Size grid, Size group) {
    Shader shader(entry);
    return run(shader, grid, group);
  }
  std::optional<Error> run(Shader& shader, Size grid, Size group) {
    const std::shared_ptr<Library> library = device.new_library(shader.shader);
    return run(or_throw(library->new_function("kernel")), grid, group);
  }
  std::optional<Error> run(const std::shared_ptr<const Function>& function, Size grid, Size group) {
    const auto pipeline = or_throw(device.new_pipeline(function));
    const std::shared_ptr<CommandBuffer> commands = device.new_command_queue()->command_buffer();
    const std::shared_ptr<ComputeCommandEncoder> encoder = or_throw(commands->compute_encoder(type));
    encoder->set_pipeline(pipeline);
    for (std::uint32_t index = 0; index < buffers.size(); ++index)
      encoder->set_buffer(buffers[index], index == 0 ? offset : 0, index);
    encoder->set_threadgroup_memory_length(threadgroup_bytes, 0);
    for (int dispatch = 0; dispatch < dispatches; ++dispatch) encoder->dispatch_threads(grid, group);
    if (const Result<void> end = encoder->end_encoding(); !end) return end.error();
    EXPECT_TRUE(commands->commit());
    EXPECT_TRUE(commands->wait_until_completed());
    return commands->error();
  }

  std::span<std::int32_t> ints(std::size_t index) {
    return {reinterpret_cast<std::int32_t*>(buffers[index]->contents()),
            buffers[index]->length() / sizeof(std::int32_t)};
  }
  std::vector<Report> reports() const { return device.reports(); }

  EmulatorDevice device;
  std::vector<std::shared_ptr<Buffer>> buffers;
  std::uint64_t offset = 0;  ///< in bytes, at which the first buffer is bound
  std::uint64_t threadgroup_bytes = 0;
  DispatchType type = DispatchType::serial;
  int dispatches = 1;
};

/// 0, 1, 2, ...
inline std::vector<std::int32_t> counting(std::size_t count) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

inline std::vector<std::int32_t> zeros(std::size_t count) {
  return std::vector<std::int32_t>(count, 0);
}

/// The names of the checks that reported, for example "memcheck racecheck".
inline std::string kinds(const std::vector<Report>& reports) {
  std::string text;
  for (const Report& report : reports) {
    if (!text.empty()) text += ' ';
    text += to_string(report.check);
  }
  return text;
}

}  // namespace assay::metal::emulator::test
