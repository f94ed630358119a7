#include "metal/emulator/check/trial_records.h"

#include <algorithm>

namespace assay::metal::emulator {

namespace {

constexpr std::uint64_t word_bytes = Shadow::word_bytes;

using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

void add(Ranges& ranges, std::uint64_t begin, std::uint64_t bytes) {
  if (!ranges.empty() && ranges.back().second == begin)
    ranges.back().second += bytes;
  else
    ranges.emplace_back(begin, begin + bytes);
}

}  // namespace

TrialRecords::TrialRecords(Allocation& allocation, std::span<const Record> records) : allocation_(allocation) {
  for (const auto& [number, since] : records)
    records_.push_back({allocation.trial_shadows[number].get(), allocation.trial_shadows[number]->words(), since});
}

std::uint64_t TrialRecords::parts() const {
  return (allocation_.length() + words_at_once * word_bytes - 1) / (words_at_once * word_bytes);
}

bool TrialRecords::look_at(std::uint64_t part) {
  const std::uint64_t words = (allocation_.length() + word_bytes - 1) / word_bytes;
  const std::uint64_t begin = part * words_at_once, end = std::min(begin + words_at_once, words);
  Ranges written;
  for (std::uint64_t word = begin; word < end; ++word) {
    if (const std::uint64_t after = written_by_one(word, end); after != word) {
      add(written, word * word_bytes, (after - word) * word_bytes);
      word = after - 1;
      continue;
    }
    const Use use = use_of([word](const Accesses& record) { return record.words[word]; });
    if (use.conflicts) return false;
    if (use.is_written) add(written, word * word_bytes, word_bytes);
    for (std::uint64_t byte = word * word_bytes; use.has_split && byte < (word + 1) * word_bytes; ++byte) {
      const Use of_byte = use_of([byte](const Accesses& record) { return record.shadow->cell_of(byte); });
      if (of_byte.conflicts) return false;
      if (of_byte.is_written) add(written, byte, 1);
    }
  }
  const std::lock_guard lock(mutex_);
  written_.insert(written_.end(), written.begin(), written.end());
  return true;
}

/// The end of the words from `begin` on that are written as wholes, if there is one record only: the record of one OS
/// thread has no conflicts.
std::uint64_t TrialRecords::written_by_one(std::uint64_t begin, std::uint64_t end) const {
  if (records_.size() != 1) return begin;
  const Trace* const writes = records_[0].words.writes;
  while (begin < end && !writes[begin].is_marked() && writes[begin].time() > records_[0].since) ++begin;
  return begin;
}

/// The use of the bytes to which cell_of(record) belongs. Nothing but `has_split` if any record tells these bytes
/// apart. Reads are looked at only where something was written, since most memory is only read.
template <class CellOf>
TrialRecords::Use TrialRecords::use_of(const CellOf& cell_of) const {
  const Accesses* writer = nullptr;
  Use use;
  for (const Accesses& record : records_) {
    const Trace write = cell_of(record).write;
    if (write.is_marked()) return {.has_split = true};
    if (write.time() <= record.since) continue;
    use.conflicts = use.is_written;
    use.is_written = true;
    writer = &record;
  }
  if (!use.is_written) return use;
  for (const Accesses& record : records_)
    if (&record != writer && cell_of(record).read.time() > record.since) use.conflicts = true;
  return use;
}

/// Long ranges are kept as ranges, which occupy no cells.
void TrialRecords::keep() const {
  constexpr std::uint64_t long_range = 256;
  Shadow& shadow = allocation_.shadow;
  for (const auto& [begin, end] : written_) {
    if (end - begin >= long_range) {
      shadow.host_writes.add(begin, std::min(end, allocation_.length()));
      continue;
    }
    shadow.prepare();
    shadow.for_each_cell(begin, end - begin, [](Cell cell, std::uint64_t, std::uint64_t) {
      if (cell.write.time() == 0) cell.write.become(Trace::of_host());
    });
  }
}

}  // namespace assay::metal::emulator
