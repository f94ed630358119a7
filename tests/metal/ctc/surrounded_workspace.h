// A workspace between sentinels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metal/cpu/ctc/loss.h"
#include "tests/metal/poison.h"

namespace assay::metal {

/// Workspace of exactly `bytes` between two sentinels, filled with a byte that is garbage as any type.
class SurroundedWorkspace {
 public:
  SurroundedWorkspace(std::size_t bytes, std::byte garbage) : memory_(bytes + 3 * margin, sentinel) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    begin_ = margin + (margin - address % margin) % margin;
    bytes_ = bytes;
    std::ranges::fill(span(), garbage);
  }
  std::span<std::byte> span() { return std::span(memory_).subspan(begin_, bytes_); }
  bool intact() const {
    const auto is_sentinel = [](std::byte byte) { return byte == sentinel; };
    const auto begin = memory_.begin() + static_cast<std::ptrdiff_t>(begin_);
    return std::all_of(memory_.begin(), begin, is_sentinel) &&
           std::all_of(begin + static_cast<std::ptrdiff_t>(bytes_), memory_.end(), is_sentinel);
  }

 private:
  static constexpr std::size_t margin = ctc_loss_workspace_alignment;
  static constexpr std::byte sentinel{0xA5};
  std::vector<std::byte> memory_;
  std::size_t begin_ = 0, bytes_ = 0;
};

}  // namespace assay::metal
