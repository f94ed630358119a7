// Managed memory of one device, which host and GPU share. Pieces that are given back are kept and used again, because
// cuMemAllocManaged takes up to a millisecond and cuMemFree waits until the GPU has finished all its work.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "metal/nvidia/driver.h"

namespace assay::metal::nvidia {

class ManagedMemory {
 public:
  struct Piece {
    Address address = 0;
    std::uint64_t bytes = 0;
    bool is_on_host = true;  ///< pages may be in the host's memory, or nowhere yet
  };

  /// Keeps at most `max_kept_bytes`.
  ManagedMemory(Driver& driver, std::uint64_t max_kept_bytes) : driver_(driver), max_kept_bytes_(max_kept_bytes) {}
  ~ManagedMemory() { release(); }
  ManagedMemory(const ManagedMemory&) = delete;
  ManagedMemory& operator=(const ManagedMemory&) = delete;

  /// At least `bytes`, which must be more than 0; none if the driver has no memory left. The context must be current.
  std::optional<Piece> take(std::uint64_t bytes);

  /// No command that uses the piece may still run. The context must be current.
  void give_back(const Piece& piece);

 private:
  void release();

  Driver& driver_;
  std::uint64_t max_kept_bytes_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<Piece>> kept_;  ///< by their bytes
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace assay::metal::nvidia
