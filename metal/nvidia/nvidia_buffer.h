// A buffer in managed memory, which host and GPU share at one address, as Metal's shared storage.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "metal/device/buffer.h"
#include "metal/nvidia/nvidia_state.h"

namespace assay::metal::nvidia {

class NvidiaBuffer final : public Buffer {
 public:
  /// Errors: argument for length 0; limit, if the GPU's memory does not hold it beside the other buffers.
  static Result<std::shared_ptr<NvidiaBuffer>> create(std::shared_ptr<NvidiaState> device, std::uint64_t length,
                                                      std::string label);
  /// Memory of another library.
  static std::shared_ptr<NvidiaBuffer> of_address(std::shared_ptr<NvidiaState> device, Address address,
                                                  std::uint64_t length);
  /// The bytes of set_bytes. They reach the GPU with the command buffer that uses them, which binds their copy.
  static std::shared_ptr<NvidiaBuffer> of_bytes(std::shared_ptr<NvidiaState> device, std::span<const std::byte> bytes);
  ~NvidiaBuffer() override;
  NvidiaBuffer(const NvidiaBuffer&) = delete;
  NvidiaBuffer& operator=(const NvidiaBuffer&) = delete;

  /// The host is taken to touch the memory, so its pages go back to the GPU before the next kernel that uses it.
  std::byte* contents() override;
  /// The bytes given to of_bytes(); empty for other kinds.
  std::span<const std::byte> bytes() const { return kind_ == Kind::bytes ? bytes_ : std::span<const std::byte>(); }
  std::uint64_t length() const override { return length_; }
  const std::string& label() const override { return label_; }
  Result<void> did_modify(std::uint64_t offset, std::uint64_t bytes) override;

  Address address() const { return piece_.address; }

  /// The contents of a new buffer. If no one calls contents(), they reach the GPU by a copy in its stream, which is
  /// several times faster than moving pages. No one may use the buffer yet.
  void fill_with(std::span<const std::byte> bytes) { bytes_.assign(bytes.begin(), bytes.end()); }

  /// Moves the pages that the host has touched to the GPU, and what fill_with() left to copy. Errors: environment.
  Result<void> move_to_device(Stream stream);

 private:
  enum class Kind { managed, adopted, bytes };

  NvidiaBuffer(std::shared_ptr<NvidiaState> device, Kind kind, ManagedMemory::Piece piece, std::uint64_t length,
               std::string label)
      : device_(std::move(device)),
        kind_(kind),
        piece_(piece),
        length_(length),
        label_(std::move(label)),
        is_on_host_(piece.is_on_host) {}

  std::shared_ptr<NvidiaState> device_;
  Kind kind_;
  ManagedMemory::Piece piece_;
  std::uint64_t length_;
  std::string label_;
  std::mutex mutex_;
  std::vector<std::byte> bytes_;  ///< of Kind::managed: what has yet to be copied, under mutex_
  std::atomic<bool> is_on_host_;
};

}  // namespace assay::metal::nvidia
