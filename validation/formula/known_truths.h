// Remembers the truths of formulas: several properties, and the gates of several kernels in one process, judge the same
// cases. What a truth depends on is its key; the kernel is not part of it.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "validation/formula/judge.h"

namespace assay::validation::formula {

/// All that the truth of a case depends on. It holds the graphs, so that no other graph can have their addresses.
struct TruthKey {
  std::vector<std::shared_ptr<const Traced>> graphs;  ///< of the formula and of its roads; null where there is none
  bool with_gradient = false;
  std::vector<std::string> inputs;  ///< their names, in the order of the case's arrays
  Doubles arrays, upstream;
  Arithmetic arithmetic;
  int digits = 0;

  TruthKey(const Subject& subject, const Case& c);
  /// Tells 0 from -0.
  friend bool operator==(const TruthKey& a, const TruthKey& b);
};

/// Holds the truths that were used last, up to `max_bytes` of memory. May be used by several threads.
class KnownTruths {
 public:
  using Pointer = std::shared_ptr<const Truth>;

  explicit KnownTruths(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// The truth of this key, which `make()` computes unless it is known. What `make` throws is passed on.
  template <class Make>
  Pointer of(TruthKey key, const Make& make) {
    if (auto known = find(key)) return known;
    auto made = std::make_shared<const Truth>(make());
    add(std::move(key), made);
    return made;
  }

 private:
  struct Entry {
    TruthKey key;
    Pointer truth;
    std::size_t bytes;
  };

  Pointer find(const TruthKey& key);
  void add(TruthKey key, const Pointer& truth);

  std::mutex mutex_;
  std::list<Entry> entries_;  ///< the one that was used last comes first
  std::size_t bytes_ = 0, max_bytes_;
};

}  // namespace assay::validation::formula
