// Which lines made the error of a dispatch's outputs, from the tape.
//
// The error of a value is the rounding of its own operation and, to first order, each operand's error times the slope.
// An output's error is divided in these proportions, from the last operation to the first. An operation that multiplies
// the relative error of an operand by k > 1, as a subtraction of nearly equal numbers does, is given 1 - 1/k of the
// operand's part, and the operand 1/k. So the shares of all lines sum to 1, and a cancellation gets what it
// magnified rather than the roundings before it: they would have done no harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "metal/emulator/numerics/numerics.h"

namespace assay::metal::emulator {

/// An element of memory beside its exact value.
struct OutputError {
  std::string place;  ///< "buffer(1) `y` + 20", of the worst of a buffer
  double stored = 0, exact = 0;
  double lost_bits = 0;  ///< of the bits of its type: log2 of the relative error in units of the roundoff
  Precision precision = Precision::single;
};

struct LineLoss {
  SourcePosition position;  ///< column 0
  double share = 0;  ///< of the error of the outputs that lost more than half of their digits, or of all if none did
  double lost_bits = 0;    ///< by the worst operation: log2 of the growth of the relative error
  std::uint32_t site = 0;  ///< of that operation

  bool is_notable() const { return share >= 0.005 || lost_bits >= 2; }
};

struct Losses {
  std::vector<OutputError> worst;  ///< of each buffer
  std::uint64_t large = 0;         ///< elements that lost more than half of their digits
  std::vector<LineLoss> lines;     ///< by falling share, then falling bits
};

/// The errors that one dispatch made.
struct DispatchLosses {
  std::string kernel;
  Losses losses;
  bool is_complete = true;  ///< false: the tape was full before the end
};

/// A number in memory, and how it was computed. A half that became a float has the entry of the half.
struct KnownNumber {
  const std::byte* address;
  Precision precision;   ///< in memory
  std::uint32_t number;  ///< of the entry
  const TapeEntry& entry;
};

/// Calls visit for each number in `memory` that has an entry in the tape, and is still there.
void for_each_known(const Numerics& numerics, const BoundMemory& memory,
                    const std::function<void(const KnownNumber&)>& visit);

/// The errors in the buffers of a dispatch that has ended. The error of an element is relative to the element, or to
/// the root mean square of its buffer if that is larger.
Losses losses_of(const Numerics& numerics, const DispatchInfo& dispatch);

}  // namespace assay::metal::emulator
