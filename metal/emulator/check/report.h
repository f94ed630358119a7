// What a check found: which rule was broken, by which threads, where in memory and where in the source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "metal/emulator/simt/grid.h"

namespace assay::metal::emulator {

/// The names are those of NVIDIA's compute-sanitizer.
enum class Check {
  memcheck,   ///< access outside of what is bound
  initcheck,  ///< reading bytes that were never written
  racecheck,  ///< accesses of two threads, one of them a write, without an order
  synccheck,  ///< barriers that not all threads come to
};

const char* to_string(Check check);

/// A place in a source; line 0 where it is not known.
struct SourcePosition {
  std::string file;
  std::uint32_t line = 0, column = 0;
  bool operator==(const SourcePosition&) const = default;
};

std::string to_string(const SourcePosition& position);

/// What one thread did.
struct Event {
  std::string action;  ///< for example "read of 4 bytes"
  Place thread;
  SourcePosition position;
};

struct Report {
  Check check = Check::memcheck;
  std::string kernel;
  std::string message;
  std::string address;  ///< for example "buffer(2) `grad` + 128", empty where memory has no part in it
  Event event;
  std::optional<Event> other;  ///< the earlier access, or the thread that is elsewhere
  std::uint64_t count = 1;     ///< how often, at the same places in the source
};

/// Several lines, the last without a line end.
std::string to_string(const Report& report);

}  // namespace assay::metal::emulator
