// The reach of a gate run: needle cases, in which one extent is large and all others are small.
//
// A kernel changes course at certain sizes: at the width of a vector, a block, a threadgroup or an index type. Needle
// cases take each extent past such sizes, and their results notice each index: a kernel that leaves one out fails.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::validation {

/// An extent that needle cases make large.
struct NeedleExtent {
  const char* name;              ///< "B"
  char index;                    ///< the letter of its index in places: 'b'
  std::int64_t max;              ///< the largest power of two to pass
  std::int64_t dense_max = max;  ///< where all sizes up to `max` would take long: beyond, a full run judges few
};

/// How far a gate run reaches. `quick` passes few boundaries, `thorough` all of them with every property.
enum class Reach { none, quick, full, thorough };
inline constexpr Reach all_reaches[] = {Reach::none, Reach::quick, Reach::full, Reach::thorough};

/// The reach of a run on generated cases that asks for none, by the program, by Python or of a formula.
inline constexpr Reach usual_reach = Reach::quick;

std::string_view name_of(Reach reach);

/// The sizes of needle cases that the seed does not change, ascending. With `full` and `against_reference`: 2^k - 1,
/// 2^k and 2^k + 1 from 2^3 to dense_max, from 1000 on also primes and multiples of 4 plus 1, 2 and 3, and a few
/// beyond; `thorough`: all of these to the max; else a few. The last is max + 1, but in a quick run only for properties
/// that use the reference, and for extents of which a full run judges few large sizes.
std::vector<std::int64_t> needle_sizes(const NeedleExtent& extent, Reach reach, bool against_reference);

/// The largest size of an extent that a property judged, and how many of its indices decide that property's verdict.
struct Reached {
  std::int64_t size = 0;
  std::int64_t noticed = 0;  ///< by an element of a result (core/noticed.h)
  std::int64_t due = 0;      ///< the largest size that was to be judged
  std::int64_t terms = 0;    ///< by a term of a sum

  /// Keeps the larger size and due; of equal sizes, the larger numbers of indices.
  void merge(const Reached& other);
  bool operator==(const Reached&) const = default;
};

/// Foretells the time of a kernel's call from the times for two smaller sizes.
class CallTimes {
 public:
  /// Times grow at most like this power of the size.
  explicit CallTimes(double most_power = 2) : most_power_(most_power) {}

  /// The shorter of two calls for the same size counts: a busy machine may delay a call.
  void add(std::int64_t size, double seconds);

  /// In seconds, should the time go on growing like a power of the size as it did between the two;
  /// the same as for a single size that is known; 0 if none is.
  double at(std::int64_t larger) const;

  /// The size to judge next on the way to `size`: `size` itself unless calls for it would be longer than `longest`;
  /// then 8 times the last size, from where the time is foretold better. If those calls would be longer as well: the
  /// last size once more, and 0 after that.
  std::int64_t next(std::int64_t size, double longest) const;

 private:
  double most_power_;
  double size_ = 0, seconds_ = 0, earlier_size_ = 0, earlier_seconds_ = 0;
  double power_ = 0;
  bool is_repeated_ = false;
};

/// The longest call of a kernel for needle cases, in seconds: slower kernels are judged on smaller ones, so that the
/// run ends. `thorough` has no limit.
double slowest_call(Reach reach, bool against_reference);

/// At most `count` of the indices in [0, size): all, or the first, the last and others between.
std::vector<std::int64_t> some_indices(std::int64_t size, std::int64_t count);

/// The values of an index, at most this many different ones, so that large batches repeat their rows.
inline constexpr std::int64_t needle_period = 61;

}  // namespace assay::validation
