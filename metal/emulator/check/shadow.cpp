#include "metal/emulator/check/shadow.h"

#include <algorithm>
#include <iterator>

namespace assay::metal::emulator {

void HostWrites::add(std::uint64_t begin, std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  auto next = ranges_.upper_bound(begin);
  if (next != ranges_.begin() && std::prev(next)->second >= begin) --next;
  while (next != ranges_.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = ranges_.erase(next);
  }
  ranges_.emplace(begin, end);
}

bool HostWrites::cover(std::uint64_t begin, std::uint64_t end) const {
  const std::lock_guard lock(mutex_);
  const auto next = ranges_.upper_bound(begin);
  return next != ranges_.begin() && std::prev(next)->second >= end;
}

void Shadow::split(Cell& word, std::uint64_t index) {
  if (!bytes_.data()) bytes_ = ZeroedPages<Cell>(length_ + word_bytes);
  std::fill_n(bytes_.data() + index * word_bytes, word_bytes, word);
  word.is_split = 1;
}

}  // namespace assay::metal::emulator
