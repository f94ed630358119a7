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
  void record_state(testing::NiceMock<MockEncoder>& encoder);

  void record_dispatches(testing::NiceMock<MockEncoder>& encoder);

  Dispatch next_;
  std::map<const ComputePipeline*, std::pair<std::string, FunctionConstants>> known_;
};

}  // namespace assay::metal::test
