#include "metal/emulator/translate/passes.h"

#include <algorithm>
#include <array>

namespace assay::metal::emulator {

std::string without_loop_pragmas(std::string_view text) {
  static constexpr std::array<std::string_view, 3> hints = {"#pragma unroll", "#pragma nounroll", "#pragma clang loop"};
  std::string result;
  result.reserve(text.size());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view line = text.substr(begin, end - begin);
    const std::string_view word = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool is_hint = std::ranges::any_of(hints, [&](std::string_view hint) { return word.starts_with(hint); });
    result.append(is_hint ? "\n" : line);
    begin = end;
  }
  return result;
}

}  // namespace assay::metal::emulator
