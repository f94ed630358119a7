// Remembers the dispatches of a mock encoder, each with all that was set when it was encoded.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/device/mock_device.h"

namespace assay::metal::test {

struct Binding {
  std::string label;
  std::uint64_t offset = 0;

  bool operator==(const Binding&) const = default;
};

struct Dispatch {
  std::string kernel;
  FunctionConstants constants;
  std::vector<std::byte> bytes;  ///< at index 0, where every kernel has its shape
  Size groups, group;
  std::uint64_t threadgroup_length = 0;
  std::map<std::uint32_t, Binding> bindings;
  bool is_ordered = false;  ///< a barrier stands between it and the dispatch before

  template <class Shape>
  Shape shape() const {
    Shape shape{};
    EXPECT_EQ(bytes.size(), sizeof(Shape)) << kernel;
    std::memcpy(&shape, bytes.data(), std::min(bytes.size(), sizeof(Shape)));
    return shape;
  }
  bool constant(std::uint32_t index) const { return constants.values().at(index).bytes[0] != 0; }
};

class Recorder {
 public:
  explicit Recorder(testing::NiceMock<MockEncoder>& encoder) {
    record_state(encoder);
    record_dispatches(encoder);
  }

  void know(const ComputePipeline& pipeline, const std::string& kernel, const FunctionConstants& constants) {
    known_[&pipeline] = {kernel, constants};
  }

  std::vector<Dispatch> dispatches;

 private:
  void record_state(testing::NiceMock<MockEncoder>& encoder) {
    using testing::_;
    ON_CALL(encoder, set_pipeline(_)).WillByDefault([this](const std::shared_ptr<const ComputePipeline>& pipeline) {
      std::tie(next_.kernel, next_.constants) = known_.at(pipeline.get());
    });
    ON_CALL(encoder, set_buffer(_, _, _))
        .WillByDefault([this](const std::shared_ptr<Buffer>& buffer, std::uint64_t offset, std::uint32_t index) {
          next_.bindings.erase(index);
          if (buffer) next_.bindings[index] = {buffer->label(), offset};
        });
    ON_CALL(encoder, set_bytes(_, _)).WillByDefault([this](std::span<const std::byte> bytes, std::uint32_t index) {
      ASSERT_EQ(index, 0U);
      next_.bytes.assign(bytes.begin(), bytes.end());
    });
    ON_CALL(encoder, set_threadgroup_memory_length(_, 0)).WillByDefault([this](std::uint64_t length, std::uint32_t) {
      next_.threadgroup_length = length;
    });
  }

  void record_dispatches(testing::NiceMock<MockEncoder>& encoder) {
    ON_CALL(encoder, memory_barrier()).WillByDefault([this] { next_.is_ordered = true; });
    ON_CALL(encoder, dispatch_threadgroups(testing::_, testing::_)).WillByDefault([this](Size groups, Size group) {
      next_.groups = groups;
      next_.group = group;
      dispatches.push_back(next_);
      next_.is_ordered = false;
    });
  }

  Dispatch next_;
  std::map<const ComputePipeline*, std::pair<std::string, FunctionConstants>> known_;
};

}  // namespace assay::metal::test
