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
    const Use use = use_of_word(word);
    if (use.conflicts) return false;
    if (use.is_written) add(written, word * word_bytes, word_bytes);
    for (std::uint64_t byte = word * word_bytes; use.has_split && byte < (word + 1) * word_bytes; ++byte) {
      const Use of_byte = use_of_byte(byte);
      if (of_byte.conflicts) return false;
      if (of_byte.is_written) add(written, byte, 1);
    }
  }
  const std::lock_guard lock(mutex_);
  written_.insert(written_.end(), written.begin(), written.end());
  return true;
}

/// Nothing but `has_split` if any record tells the word's bytes apart.
TrialRecords::Use TrialRecords::use_of_word(std::uint64_t word) const {
  unsigned writers = 0, users = 0;
  for (const auto& [shadow, words, since] : records_) {
    const Cell& cell = words[word];
    if (cell.write.is_marked()) return {.has_split = true};
    const bool is_written = cell.write.time() > since;
    writers += is_written ? 1U : 0U;
    users += is_written || cell.read.time() > since ? 1U : 0U;
  }
  return {.is_written = writers != 0, .conflicts = writers != 0 && users > 1};
}

TrialRecords::Use TrialRecords::use_of_byte(std::uint64_t byte) const {
  unsigned writers = 0, users = 0;
  for (const auto& [shadow, words, since] : records_) {
    const Cell& cell = shadow->cell_of(byte);
    const bool is_written = cell.write.time() > since;
    writers += is_written ? 1U : 0U;
    users += is_written || cell.read.time() > since ? 1U : 0U;
  }
  return {.is_written = writers != 0, .conflicts = writers != 0 && users > 1};
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
    shadow.for_each_cell(begin, end - begin, [](Cell& cell, std::uint64_t, std::uint64_t) {
      if (cell.write.time() == 0) cell.write.become(Trace::of_host());
    });
  }
}

}  // namespace assay::metal::emulator
