#include "metal/emulator/memory/shadow.h"

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

std::uint64_t HostWrites::end_from(std::uint64_t begin) const {
  const std::lock_guard lock(mutex_);
  const auto next = ranges_.upper_bound(begin);
  return next == ranges_.begin() ? begin : std::max(begin, std::prev(next)->second);
}

std::uint64_t HostWrites::next_from(std::uint64_t begin, std::uint64_t limit) const {
  const std::lock_guard lock(mutex_);
  const auto next = ranges_.upper_bound(begin);
  if (next != ranges_.begin() && std::prev(next)->second > begin) return begin;
  return next == ranges_.end() ? limit : std::min(limit, next->first);
}

void Shadow::prepare(bool is_sparse) {
  if (cells_.writes) return;
  for (ZeroedPages<Trace>* traces : {&writes_, &reads_, &other_reads_}) {
    *traces = ZeroedPages<Trace>(words_ * (1 + word_bytes));
    if (!is_sparse) expect_use(traces->data(), words_ * sizeof(Trace));
  }
  cells_ = {writes_.data(), reads_.data(), other_reads_.data()};
}

std::uint64_t Shadow::written_until(std::uint64_t begin, std::uint64_t limit) const {
  while (begin < limit) {
    std::uint64_t end = begin;
    while (cells_.writes && end < limit && cell_of(end).write.time() != 0) ++end;
    end = std::min(limit, host_writes.end_from(end));
    if (end == begin) break;
    begin = end;
  }
  return begin;
}

std::uint64_t Shadow::unwritten_until(std::uint64_t begin, std::uint64_t limit) const {
  const std::uint64_t end = host_writes.next_from(begin, limit);
  for (std::uint64_t byte = begin; cells_.writes && byte < end; ++byte) {
    if (cell_of(byte).write.time() != 0) return byte;
    if (!cells_[byte / word_bytes].write.is_marked()) byte |= word_bytes - 1;
  }
  return end;
}

void Shadow::split(std::uint64_t word) {
  const Cell whole = cells_[word];
  const Cells bytes = cells_ + (words_ + word * word_bytes);
  std::fill_n(bytes.writes, word_bytes, whole.write);
  std::fill_n(bytes.reads, word_bytes, whole.read);
  std::fill_n(bytes.other_reads, word_bytes, whole.other_read);
  whole.write.mark();
  is_split_ = true;
}

void Shadow::forget_times() {
  if (!cells_.writes) return;
  const std::uint64_t cells = is_split_ ? words_ * (1 + word_bytes) : words_;
  for (std::uint64_t n = 0; n < cells; ++n) {
    const Cell cell = cells_[n];
    if (cell.write.time() > Trace::host_time) cell.write.become(Trace::of_host());
    if (cell.read.time() != 0) cell.read = {};
  }
}

}  // namespace assay::metal::emulator
