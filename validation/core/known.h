// Remembers what takes long to compute, up to a number of bytes.
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace assay::validation {

/// Holds the values that were used last, each under its key. May be used by several threads.
template <class Key, class Value>
class Known {
 public:
  using Pointer = std::shared_ptr<const Value>;

  explicit Known(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// The value of the key of this hash for which is(key); null where there is none.
  template <class Is>
  Pointer find(std::size_t hash, const Is& is) {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = places_.equal_range(hash);
    for (auto place = first; place != last; ++place) {
      const auto entry = place->second;
      if (!is(entry->key)) continue;
      entries_.splice(entries_.begin(), entries_, entry);
      return entry->value;
    }
    return nullptr;
  }

  /// Remembers the value, which takes so many bytes, unless they are too many.
  void add(std::size_t hash, Key key, Pointer value, std::size_t bytes) {
    if (bytes > max_bytes_) return;
    const std::lock_guard lock(mutex_);
    entries_.push_front({hash, std::move(key), std::move(value), bytes});
    places_.emplace(hash, entries_.begin());
    for (bytes_ += bytes; bytes_ > max_bytes_;) drop_last();
  }

 private:
  struct Entry {
    std::size_t hash;
    Key key;
    Pointer value;
    std::size_t bytes;
  };
  using Entries = std::list<Entry>;

  void drop_last() {
    const auto last = std::prev(entries_.end());
    auto place = places_.find(last->hash);
    while (place->second != last) ++place;  // those of one hash are neighbours
    places_.erase(place);
    bytes_ -= last->bytes;
    entries_.pop_back();
  }

  std::mutex mutex_;
  Entries entries_;                                                          ///< the one that was used last comes first
  std::unordered_multimap<std::size_t, typename Entries::iterator> places_;  ///< by the hash of the key
  std::size_t bytes_ = 0, max_bytes_;
};

}  // namespace assay::validation
