// A device of mocks for a host: buffers with memory and a life of their own, pipelines of any kernel, dispatches that
// are remembered. Any one of the calls that may fail can be made to.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/device/mock_device.h"
#include "tests/host/recorder.h"

namespace assay::metal::test {

/// How a call that is made to fail does.
enum class Failure { error, nothing };

/// A call of the device layer that may fail, and for what: a kernel, or the label of a buffer.
struct DeviceCall {
  std::string name, object;
  std::uint64_t bytes = 0;  ///< of a buffer
};

class HostStream : public MockStream {
 public:
  HostStream();

  // What the device has.
  std::vector<std::string> function_names = {"ctc_emissions_bfloat", "ctc_plain_log_softmax_bfloat",
                                             "cce_logits_bfloat", "cce_plain_forward_bfloat", "svd_load_bfloat"};
  std::uint32_t max_threads = 1024, width = 32;
  std::uint64_t static_length = 0;  ///< of every kernel
  std::optional<Error> run_error;   ///< of the command buffer
  std::shared_ptr<testing::NiceMock<MockLibrary>> library = std::make_shared<testing::NiceMock<MockLibrary>>();

  // What was done with it.
  Recorder recorder;
  std::vector<std::string> pipelines;                    ///< names of those made, in their order
  std::map<std::string, std::uint64_t> lengths;          ///< of the buffers made, by their labels
  std::map<std::string, std::vector<std::byte>> copied;  ///< what buffers were made with
  std::vector<DeviceCall> calls;                         ///< in their order
  std::string failed;                                    ///< the one that was made to

  const std::vector<Dispatch>& dispatches() const { return recorder.dispatches; }

  /// The call of this number, counted from 0 and from now, fails.
  void fail(int call, Failure how) {
    calls.clear();
    failing_ = call;
    how_ = how;
  }

  std::size_t live_buffers() const {
    return static_cast<std::size_t>(std::ranges::count_if(buffers_, [](const auto& weak) { return !weak.expired(); }));
  }

  template <class T>
  std::vector<T> table(const std::string& label) const {
    const std::vector<std::byte>& bytes = copied.at(label);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }

  /// A buffer of a caller's. Long ones have no memory.
  std::shared_ptr<Buffer> make_buffer(const std::string& label, std::uint64_t length);

 private:
  /// The error or the nil that the test wants of this call, if it does.
  template <class T>
  std::optional<Result<T>> planted(const DeviceCall& call);

  Result<std::shared_ptr<Buffer>> allocate(const std::string& label, std::uint64_t length);

  void use_buffers();

  void use_libraries();

  Result<std::shared_ptr<const ComputePipeline>> make_pipeline(const Function& function);

  void use_commands();

  int failing_ = -1;
  Failure how_ = Failure::error;
  std::vector<std::weak_ptr<Buffer>> buffers_;
  std::map<const Function*, FunctionConstants> constants_;
};

/// Calls encode(encoder), which is to return true, three times on a concurrent encoder. It must not allocate, make a
/// pipeline, commit or wait.
template <class Encode>
void expect_it_only_encodes(const HostStream& stream, const Encode& encode) {
  using testing::_;
  const auto encoder = *stream.commands->compute_encoder(DispatchType::concurrent);
  EXPECT_CALL(*stream.device, new_buffer(testing::An<std::uint64_t>(), _)).Times(0);
  EXPECT_CALL(*stream.device, new_buffer(testing::An<std::span<const std::byte>>(), _)).Times(0);
  EXPECT_CALL(*stream.device, new_pipeline(_)).Times(0);
  EXPECT_CALL(*stream.library, new_function(_, _)).Times(0);
  EXPECT_CALL(*stream.commands, commit()).Times(0);
  EXPECT_CALL(*stream.commands, wait_until_completed()).Times(0);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(encode(*encoder));
  EXPECT_TRUE(encoder->end_encoding());
}

}  // namespace assay::metal::test
