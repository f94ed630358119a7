// Remembers the truths of formulas: several properties, and the gates of several kernels in one process, judge the same
// cases. What a truth depends on is its key; the kernel is not part of it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "validation/core/known.h"
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

/// The hash of the arrays.
std::size_t hash_of(const TruthKey& key);

/// About, without the graph, which the truths of several cases share.
std::size_t bytes_of(const TruthKey& key, const Truth& truth);

class KnownTruths : Known<TruthKey, Truth> {
 public:
  using Known::Known;

  /// The truth of this key, which `make()` computes unless it is known. What `make` throws is passed on.
  template <class Make>
  Pointer of(TruthKey key, const Make& make) {
    const std::size_t hash = hash_of(key);
    if (auto known = find(hash, [&](const TruthKey& one) { return one == key; })) return known;
    auto made = std::make_shared<const Truth>(make());
    const std::size_t bytes = bytes_of(key, *made);
    add(hash, std::move(key), made, bytes);
    return made;
  }
};

}  // namespace assay::validation::formula
