#include "validation/core/far_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <new>
#include <system_error>
#include <vector>

#include "validation/core/file.h"

namespace assay::validation {
namespace {

constexpr std::size_t block = std::size_t{1} << 21;

/// The gaps between the parts, in whole blocks: [first, end) of each.
std::vector<FarPart> gaps_between(std::size_t bytes, std::span<const FarPart> own) {
  std::vector<FarPart> gaps;
  std::size_t from = 0;
  const auto add = [&](std::size_t to) {
    const std::size_t first = (from + block - 1) / block, end = to / block;
    if (first < end) gaps.push_back({first * block, (end - first) * block});
  };
  for (const FarPart& part : own) {
    add(part.first);
    from = part.first + part.count;
  }
  add(bytes);
  return gaps;
}

std::vector<FarPart> in_bytes(std::span<const FarPart> elements) {
  std::vector<FarPart> parts;
  for (const FarPart& part : elements) parts.push_back({part.first * sizeof(float), part.count * sizeof(float)});
  return parts;
}

}  // namespace

FarPages::FarPages(std::size_t bytes, std::span<const FarPart> own) : bytes_(bytes) {
  void* const range = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(range);
  const File file = anonymous_file();
  bool is_shared = ftruncate(file.number(), block) == 0;
  for (const FarPart& gap : gaps_between(bytes, own))
    for (std::size_t at = gap.first; is_shared && at < gap.first + gap.count; at += block)
      is_shared =
          mmap(data_ + at, block, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.number(), 0) != MAP_FAILED;
  if (!is_shared) {
    const int error = errno;
    munmap(data_, bytes_);
    throw std::system_error(error, std::generic_category(), "no addresses for an array past 2^32 elements");
  }
  forgetful_ = std::thread([this, gaps = gaps_between(bytes, own)] {
    // The system counts a page once for each address that led to it, unless it is told to forget the address. The
    // contents stay.
    while (!done_) {
      for (const FarPart& gap : gaps) madvise(data_ + gap.first, gap.count, MADV_DONTNEED);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
}

FarPages::~FarPages() {
  done_ = true;
  forgetful_.join();
  munmap(data_, bytes_);
}

FarFloats::FarFloats(std::size_t count, std::span<const FarPart> own)
    : count_(count), pages_(count * sizeof(float), in_bytes(own)) {
  for (const FarPart& part : own)
    std::ranges::fill(view().subspan(part.first, part.count), std::numeric_limits<float>::quiet_NaN());
}

}  // namespace assay::validation
