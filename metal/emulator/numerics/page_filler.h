// Has the system find the pages of a growing array before it comes to them, on a thread of its own: that takes as long
// as the computation of what goes there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>

#include "metal/system/system.h"

namespace assay::metal::emulator {

class PageFiller {
 public:
  /// For `bytes` of zeroed pages at `begin`, which must outlive it.
  PageFiller(void* begin, std::size_t bytes) : begin_(static_cast<std::byte*>(begin)), bytes_(bytes) {}
  PageFiller(const PageFiller&) = delete;
  PageFiller& operator=(const PageFiller&) = delete;
  ~PageFiller() {
    if (!thread_.joinable()) return;
    announce(over);
    thread_.join();
  }

  /// The first `used` bytes are in use. The first call starts the thread; without one, nothing is filled.
  void note_use(std::size_t used) {
    announce(used);
    if (thread_.joinable() || has_failed_) return;
    try {
      thread_ = std::thread([this, used] { fill(used); });
    } catch (const std::system_error&) {
      has_failed_ = true;
    }
  }

 private:
  static constexpr std::size_t step = std::size_t{4} << 20, ahead = std::size_t{64} << 20, page = std::size_t{1} << 16;
  static constexpr std::size_t over = ~std::size_t{0};

  void announce(std::size_t used) {
    used_ = used;
    used_.notify_one();
  }

  void fill(std::size_t filled) {
    filled = filled / page * page;
    for (std::size_t used = used_; used != over; used = used_) {
      if (filled >= std::min(used + std::min(used, ahead), bytes_)) {  // no more than twice what is used
        used_.wait(used);
        continue;
      }
      const std::size_t next = std::min(step, bytes_ - filled);
      system::fill_pages(begin_ + filled, next);
      filled += next;
    }
  }

  std::byte* begin_;
  std::size_t bytes_;
  std::atomic<std::size_t> used_ = 0;
  bool has_failed_ = false;
  std::thread thread_;
};

}  // namespace assay::metal::emulator
