#include "metal/nvidia/managed_memory.h"

#include <algorithm>
#include <bit>

namespace assay::metal::nvidia {

namespace {

/// Rounds up to one of eight sizes between two powers of two, so that buffers of similar length use the same pieces.
std::uint64_t rounded_up(std::uint64_t bytes) {
  const std::uint64_t step = std::max<std::uint64_t>(std::bit_floor(bytes) / 8, 256);
  return (bytes + step - 1) / step * step;
}

}  // namespace

std::optional<ManagedMemory::Piece> ManagedMemory::take(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  Piece piece{0, bytes <= max_kept_bytes_ ? rounded_up(bytes) : bytes, true};
  if (const auto same = kept_.find(piece.bytes); same != kept_.end() && !same->second.empty()) {
    piece = same->second.back();
    same->second.pop_back();
    kept_bytes_ -= piece.bytes;
    return piece;
  }
  if (driver_.allocate_managed(piece.address, piece.bytes) == success) return piece;
  release();
  if (driver_.allocate_managed(piece.address, piece.bytes) == success) return piece;
  return std::nullopt;
}

void ManagedMemory::give_back(const Piece& piece) {
  const std::lock_guard lock(mutex_);
  if (piece.bytes > max_kept_bytes_ - kept_bytes_) {
    driver_.free(piece.address);
    return;
  }
  kept_[piece.bytes].push_back(piece);
  kept_bytes_ += piece.bytes;
}

void ManagedMemory::release() {
  for (const auto& [bytes, pieces] : kept_)
    for (const Piece& piece : pieces) driver_.free(piece.address);
  kept_.clear();
  kept_bytes_ = 0;
}

}  // namespace assay::metal::nvidia
