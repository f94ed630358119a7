// An explanation of a failure, as core/explanation.h finds it and reports show it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::validation {

/// What is known of a line.
struct LineMark {
  std::uint32_t line = 0;
  double share = 0;      ///< of the error
  double lost_bits = 0;  ///< by its worst operation
  std::string note = {};
};

struct MarkedSource {
  std::string file;
  std::vector<std::string> lines;
  std::vector<LineMark> marks;  ///< by line
};

/// An explanation in words; empty if the kernel is neither a shader nor a plug-in.
struct Why {
  std::string place;  ///< "softmax.metal:41", of the first line that is named; empty if none is
  std::string text;   ///< lines, each with its newline
  std::vector<MarkedSource> sources = {};
};

}  // namespace assay::validation
