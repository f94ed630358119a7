// A buffer in the arena of an emulated device.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "metal/device/buffer.h"
#include "metal/emulator/device_state.h"

namespace assay::metal::emulator {

class EmulatorBuffer final : public Buffer {
 public:
  /// A buffer that the host has not written. Errors: argument for length 0; limit.
  static Result<std::shared_ptr<EmulatorBuffer>> create(std::shared_ptr<DeviceState> device, std::uint64_t length,
                                                        std::string label);

  /// A copy of `bytes`. Errors: as above.
  static Result<std::shared_ptr<EmulatorBuffer>> create(std::shared_ptr<DeviceState> device,
                                                        std::span<const std::byte> bytes, std::string label);

  /// The contents that `fill` writes. Errors: as above.
  static Result<std::shared_ptr<EmulatorBuffer>> create(std::shared_ptr<DeviceState> device, std::uint64_t length,
                                                        const BufferFill& fill, std::string label);

  /// Zeros whose pages exist only where they are touched, and which count as written if `is_written`. Errors: as above;
  /// only the addresses limit its length.
  static Result<std::shared_ptr<EmulatorBuffer>> create_sparse(std::shared_ptr<DeviceState> device,
                                                               std::uint64_t length, bool is_written,
                                                               std::string label);

  ~EmulatorBuffer() override { device_->allocated_bytes -= length(); }
  EmulatorBuffer(const EmulatorBuffer&) = delete;
  EmulatorBuffer& operator=(const EmulatorBuffer&) = delete;

  std::byte* contents() override { return allocation_->begin(); }
  std::uint64_t length() const override { return allocation_->length(); }
  const std::string& label() const override { return label_; }
  bool is_sparse() const { return allocation_->is_sparse; }
  Result<void> did_modify(std::uint64_t offset, std::uint64_t bytes) override;
  void did_copy(const void* to, std::uint64_t offset, std::uint64_t bytes) override {
    if (Algebra* const algebra = device_->executor.algebra()) algebra->copied(to, contents() + offset, bytes);
  }

  Allocation& allocation() { return *allocation_; }

  /// The elements of `bytes` that neither the host nor a checked kernel has written.
  struct Unwritten {
    std::uint64_t count = 0, first = 0;
  };
  Unwritten unwritten(std::uint64_t bytes) const;

 private:
  EmulatorBuffer(std::shared_ptr<DeviceState> device, std::unique_ptr<Allocation> allocation, std::string label)
      : device_(std::move(device)), allocation_(std::move(allocation)), label_(std::move(label)) {
    device_->allocated_bytes += length();
  }

  /// A buffer whose contents must be set next.
  static Result<std::shared_ptr<EmulatorBuffer>> allocate(std::shared_ptr<DeviceState> device, std::uint64_t length,
                                                          std::string label);

  /// Takes note that the host has written [offset, offset + bytes).
  void note_written(std::uint64_t offset, std::uint64_t bytes);

  std::shared_ptr<DeviceState> device_;
  std::unique_ptr<Allocation> allocation_;
  std::string label_;
};

}  // namespace assay::metal::emulator
