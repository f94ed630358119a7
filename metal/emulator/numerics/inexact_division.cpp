#include "metal/emulator/numerics/inexact_division.h"

#include <fmt/format.h>

#include "metal/emulator/numerics/ir_text.h"

namespace assay::metal::emulator {

namespace {

/// The call that stands for the line, or the line.
std::string divided(std::string_view line) {
  const auto read = ir::instruction(line);
  if (!read || read->opcode != "fdiv") return std::string(line);
  const std::string_view operands = ir::without_flags(read->operands);
  const std::string_view flags = read->operands.substr(0, read->operands.size() - operands.size());
  const bool by_reciprocal =
      flags.find("arcp") != std::string_view::npos || flags.find("fast") != std::string_view::npos;
  const auto parts = ir::parts(operands);
  if (!by_reciprocal || parts.size() != 2 || ir::value(parts[0]).type != "float") return std::string(line);
  return fmt::format("  {} = call float @assay_math_fast_divide({}, float {}){}", read->result, parts[0], parts[1],
                     read->metadata);
}

}  // namespace

std::string with_inexact_division(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    result.append(divided(text.substr(0, end))).append("\n");
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return result;
}

std::string with_infinite_arguments(std::string text) {
  constexpr std::string_view promise = "nofpclass(nan inf) ";
  for (std::size_t at = text.find(promise); at != std::string::npos; at = text.find(promise, at))
    text.erase(at, promise.size());
  return text;
}

}  // namespace assay::metal::emulator
