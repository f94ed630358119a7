// Encodes dispatches for Metal, after it has refused what Metal's validation would refuse.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "metal/apple/apple_function.h"
#include "metal/apple/apple_state.h"
#include "metal/device/compute_command_encoder.h"
#include "metal/device/encoder_state.h"

namespace assay::metal::apple {

class AppleEncoder final : public ComputeCommandEncoder {
 public:
  /// Receives the encoder's first error, if any, when encoding has ended. Null for an encoder of another owner, who
  /// ends it.
  using Finish = std::function<void(std::optional<Error> error)>;

  AppleEncoder(std::shared_ptr<AppleState> device, NS::SharedPtr<MTL::ComputeCommandEncoder> encoder, Finish finish);
  ~AppleEncoder() override;
  AppleEncoder(const AppleEncoder&) = delete;
  AppleEncoder& operator=(const AppleEncoder&) = delete;

  void set_pipeline(std::shared_ptr<const ComputePipeline> pipeline) override;
  void set_buffer(std::shared_ptr<Buffer> buffer, std::uint64_t offset, std::uint32_t index) override;
  void set_bytes(std::span<const std::byte> bytes, std::uint32_t index) override;
  void set_threadgroup_memory_length(std::uint64_t length, std::uint32_t index) override;
  void dispatch_threads(Size grid, Size group) override;
  void dispatch_threadgroups(Size groups, Size group) override;
  void memory_barrier() override;
  Result<void> end_encoding() override;

 private:
  struct Bound {
    std::uint64_t offset = 0, length = 0;  ///< of the buffer; length 0: nothing is bound
  };

  bool accepts_dispatch(const char* call, Size threads, Size group);
  Result<void> check_buffer(const Argument& argument) const;

  std::shared_ptr<AppleState> device_;
  NS::SharedPtr<MTL::ComputeCommandEncoder> encoder_;
  Finish finish_;
  EncoderState state_;
  std::shared_ptr<const ApplePipeline> pipeline_;
  std::vector<Bound> bound_;                        ///< by index
  std::vector<std::uint64_t> threadgroup_lengths_;  ///< by index; 0: not set
};

}  // namespace assay::metal::apple
