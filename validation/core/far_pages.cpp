#include "validation/core/far_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <map>
#include <mutex>
#include <system_error>

#include "metal/system/system.h"
#include "validation/core/file.h"

namespace assay::validation {
namespace {

constexpr std::size_t block = std::size_t{1} << 21, guard = std::size_t{1} << 16, alignment = 64;

[[noreturn]] void fail() {
  throw std::system_error(errno, std::generic_category(), "no addresses for an array past 2^32 elements");
}

std::byte* rounded_up(std::byte* address, std::size_t size) {
  const auto beyond = reinterpret_cast<std::uintptr_t>(address) % size;  // NOLINT: addresses of pages
  return beyond == 0 ? address : address + (size - beyond);
}

struct Registry {
  std::mutex mutex;
  std::map<const void*, FarArray> arrays;
};

Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

FarPages::FarPages(const FarArray& array) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t pages = (array.bytes + alignment + page - 1) / page * page;
  reserved_ = pages + 2 * guard;
  void* const range = mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) fail();
  range_ = static_cast<std::byte*>(range);
  data_ = range_ + guard + (pages - array.bytes) / alignment * alignment;
  const metal::Descriptor file = anonymous_file();
  try {
    if (mprotect(range_ + guard, pages, PROT_READ | PROT_WRITE) != 0 || ftruncate(file.number(), block) != 0) fail();
    std::byte* from = data_;
    for (std::size_t i = 0; i < array.own.count; ++i) {
      share(from, data_ + array.own.begin(i), file.number());
      from = data_ + array.own.begin(i) + array.own.size;
    }
    share(from, data_ + array.bytes, file.number());
  } catch (...) {
    munmap(range_, reserved_);
    throw;
  }
  const std::scoped_lock lock(registry().mutex);
  registry().arrays[data_] = array;
}

FarPages::~FarPages() {
  {
    const std::scoped_lock lock(registry().mutex);
    registry().arrays.erase(data_);
  }
  munmap(range_, reserved_);
}

/// Makes all whole blocks between the addresses lead to the first block of the file.
void FarPages::share(std::byte* from, std::byte* to, int file) {
  std::byte* const first = rounded_up(from, block);
  if (first >= to) return;
  const std::size_t bytes = static_cast<std::size_t>(to - first) / block * block;
  for (std::size_t at = 0; at < bytes; at += block)
    if (mmap(first + at, block, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) fail();
  metal::system::map_pages(first, bytes);
}

std::optional<FarArray> far_array_at(const void* data) {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.arrays.find(data);
  if (found == all.arrays.end()) return std::nullopt;
  return found->second;
}

}  // namespace assay::validation
