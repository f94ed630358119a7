#include "tests/device/mock_device.h"

template class testing::NiceMock<assay::metal::test::MockBuffer>;
template class testing::NiceMock<assay::metal::test::MockFunction>;
template class testing::NiceMock<assay::metal::test::MockLibrary>;
template class testing::NiceMock<assay::metal::test::MockPipeline>;
template class testing::NiceMock<assay::metal::test::MockEncoder>;
template class testing::NiceMock<assay::metal::test::MockCommandBuffer>;
template class testing::NiceMock<assay::metal::test::MockQueue>;
template class testing::NiceMock<assay::metal::test::MockDevice>;

namespace assay::metal::test {

MockStream::MockStream() {
  using testing::_;
  using testing::Return;
  using testing::ReturnRef;
  ON_CALL(*device, limits()).WillByDefault(ReturnRef(limits));
  ON_CALL(*device, new_command_queue()).WillByDefault(Return(queue));
  ON_CALL(*device, new_buffer(testing::An<std::uint64_t>(), _)).WillByDefault([this] { return allocate(); });
  ON_CALL(*device, new_buffer(testing::An<std::span<const std::byte>>(), _)).WillByDefault([this] {
    return allocate();
  });
  ON_CALL(*buffer, did_modify(_, _)).WillByDefault([this] {
    end_encoders("Buffer::did_modify");
    return Result<void>();
  });
  ON_CALL(*queue, command_buffer()).WillByDefault(Return(commands));
  ON_CALL(*commands, compute_encoder(_)).WillByDefault([this] {
    begin();
    return Result<std::shared_ptr<ComputeCommandEncoder>>(encoder);
  });
  ON_CALL(*encoder, end_encoding()).WillByDefault([this] { return end(); });
}

}  // namespace assay::metal::test
