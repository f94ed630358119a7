// Remembers what takes long to compute, up to a number of bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace assay::validation {

/// Holds the values that were used last, each under its key. May be used by several threads.
template <class Key, class Value>
class Known {
 public:
  using Pointer = std::shared_ptr<const Value>;

  explicit Known(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// The value of the key for which is(key); null where there is none.
  template <class Is>
  Pointer find(const Is& is) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(entries_, is, &Entry::key);
    if (found == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found);
    return found->value;
  }

  /// Remembers the value, which takes so many bytes, unless they are too many.
  void add(Key key, Pointer value, std::size_t bytes) {
    if (bytes > max_bytes_) return;
    const std::lock_guard lock(mutex_);
    entries_.push_front({std::move(key), std::move(value), bytes});
    for (bytes_ += bytes; bytes_ > max_bytes_; entries_.pop_back()) bytes_ -= entries_.back().bytes;
  }

 private:
  struct Entry {
    Key key;
    Pointer value;
    std::size_t bytes;
  };

  std::mutex mutex_;
  std::list<Entry> entries_;  ///< the one that was used last comes first
  std::size_t bytes_ = 0, max_bytes_;
};

}  // namespace assay::validation
