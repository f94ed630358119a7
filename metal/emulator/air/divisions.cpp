#include "metal/emulator/air/divisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay::metal::emulator::air {

bool is_checked_division(const ir::Instruction& instruction) {
  static constexpr std::array<std::string_view, 4> divisions = {"sdiv", "udiv", "srem", "urem"};
  if (std::ranges::find(divisions, instruction.opcode) == divisions.end()) return false;
  const auto operands = ir::parts(instruction.operands);
  return operands.size() == 2 && operands[0].starts_with('i') && operands[1].starts_with('%');
}

std::optional<std::string> before_division(const ir::Instruction& instruction, const std::string& site,
                                           std::size_t number) {
  if (!is_checked_division(instruction)) return std::nullopt;
  const auto operands = ir::parts(instruction.operands);
  const ir::Value left = ir::value(operands[0]);
  const bool is_signed = instruction.opcode.front() == 's';
  const std::string_view extension = is_signed ? "sext" : "zext";
  std::string text;
  const auto widened = [&](std::string_view name, std::string_view side) {
    if (left.type == "i64") return std::string(name);
    const std::string wide = fmt::format("%\"assay.{}.{}\"", side, number);
    text += fmt::format("  {} = {} {} {} to i64\n", wide, extension, left.type, name);
    return wide;
  };
  const std::string dividend = widened(left.name, "dividend"), divisor = widened(operands[1], "divisor");
  return text + fmt::format("  call void @assay_air_division(i64 {}, i64 {}, i32 {}, i32 {}, ptr {})", dividend,
                            divisor, left.type.substr(1), is_signed ? 1 : 0, site);
}

}  // namespace assay::metal::emulator::air
