// The finding of a check: the rule that was broken, the threads that broke it, and the places in memory and in the
// source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "metal/emulator/simt/grid.h"

namespace assay::metal::emulator {

/// All names but simdcheck, intcheck, numcheck and schedcheck are those of NVIDIA's compute-sanitizer.
enum class Check {
  memcheck,   ///< out-of-bounds access
  initcheck,  ///< read of bytes that were never written
  racecheck,  ///< unordered accesses by two threads, one of them a write
  synccheck,  ///< barrier that not all threads reach
  simdcheck,  ///< simdgroup operation that not all lanes of the simdgroup execute
  intcheck,   ///< integer operation whose result is undefined: a division by zero, a shift beyond the width
  numcheck,   ///< NaN or infinity out of numbers, lost digits
  schedcheck  ///< result that depends on the order of atomic accesses
};

const char* to_string(Check check);

/// A place in a source; line 0 if it is not known.
struct SourcePosition {
  std::string file;
  std::uint32_t line = 0, column = 0;
  bool operator==(const SourcePosition&) const = default;
};

std::string to_string(const SourcePosition& position);

/// An action of one thread.
struct Event {
  std::string action;  ///< for example "read of 4 bytes"
  Place thread;        ///< not of a plug-in
  SourcePosition position;
};

struct Report {
  Check check = Check::memcheck;
  std::string kernel;
  std::string message;
  std::string address;  ///< for example "buffer(2) `grad` + 128"; empty for synccheck and simdcheck
  Event event;
  std::optional<Event> other;       ///< the earlier access, or the thread at another place
  std::uint64_t count = 1;          ///< how often it was found at the same places in the source
  bool is_warning = false;          ///< Metal defines the result, but it may not be the one that was meant
  bool is_of_source = false;        ///< found in the source, not in a run: the event has a place and no thread
  bool is_of_library = false;       ///< found in a plug-in: the events have no thread of a grid
  bool is_of_equal_values = false;  ///< a race of two writes, each time of the value that was there already
  std::string advice = {};          ///< what to do
};

/// A message of os_log.
struct LogMessage {
  std::string text;
  Place thread;
  SourcePosition position;
};

/// "sum.metal:5:3: thread (1, 0, 0) of the grid: x = 2".
std::string to_string(const LogMessage& message);

/// Several lines, without a newline at the end.
std::string to_string(const Report& report);

}  // namespace assay::metal::emulator
