#include "tests/host/recorder.h"

namespace assay::metal::test {

void Recorder::record_state(testing::NiceMock<MockEncoder>& encoder) {
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

void Recorder::record_dispatches(testing::NiceMock<MockEncoder>& encoder) {
  ON_CALL(encoder, memory_barrier()).WillByDefault([this] { next_.is_ordered = true; });
  ON_CALL(encoder, dispatch_threadgroups(testing::_, testing::_)).WillByDefault([this](Size groups, Size group) {
    next_.groups = groups;
    next_.group = group;
    dispatches.push_back(next_);
    next_.is_ordered = false;
  });
}

}  // namespace assay::metal::test
