// A buffer in shared storage.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "metal/apple/apple_state.h"
#include "metal/device/buffer.h"

namespace assay::metal::apple {

class AppleBuffer final : public Buffer {
 public:
  /// Errors: argument, for length 0; limit.
  static Result<std::shared_ptr<AppleBuffer>> create(std::shared_ptr<AppleState> device, std::uint64_t length,
                                                     std::string label);

  /// One that exists, under its own label.
  static std::shared_ptr<AppleBuffer> of(std::shared_ptr<AppleState> device, NS::SharedPtr<MTL::Buffer> buffer);

  std::byte* contents() override { return static_cast<std::byte*>(buffer_->contents()); }
  std::uint64_t length() const override { return buffer_->length(); }
  const std::string& label() const override { return label_; }
  Result<void> did_modify(std::uint64_t offset, std::uint64_t bytes) override;

  const MTL::Buffer* mtl() const { return buffer_.get(); }

 private:
  AppleBuffer(std::shared_ptr<AppleState> device, NS::SharedPtr<MTL::Buffer> buffer, std::string label)
      : device_(std::move(device)), buffer_(std::move(buffer)), label_(std::move(label)) {}

  std::shared_ptr<AppleState> device_;
  NS::SharedPtr<MTL::Buffer> buffer_;
  std::string label_;
};

}  // namespace assay::metal::apple
