#include "metal/emulator/air/contraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "metal/emulator/air/words.h"
#include "metal/emulator/numerics/ir_text.h"

namespace assay::metal::emulator::air {

namespace {

constexpr std::string_view permitted = "@llvm.fmuladd.", rounded = "@assay.fmuladd.";

std::string definition(const ir::Call& declared) {
  return fmt::format(
      "define internal {0} {1}({0} %a, {0} %b, {0} %c) alwaysinline nounwind {{\n"
      "  %p = fmul {0} %a, %b\n  %r = fadd {0} %p, %c\n  ret {0} %r\n}}\n",
      declared.type, declared.callee);
}

}  // namespace

std::string unfused(std::string_view module) {
  if (module.find(permitted) == npos) return std::string(module);
  const std::string renamed = replaced(std::string(module), permitted, rounded);
  std::string text;
  text.reserve(renamed.size());
  for (std::size_t begin = 0; begin < renamed.size();) {
    const std::size_t end = std::min(renamed.find('\n', begin), renamed.size() - 1) + 1;
    const std::string_view line = std::string_view(renamed).substr(begin, end - begin);
    const bool is_declared = line.starts_with("declare ") && line.find(rounded) != npos;
    const auto declared = is_declared ? ir::call(line.substr(8)) : std::nullopt;
    text += declared ? definition(*declared) : std::string(line);
    begin = end;
  }
  return text;
}

}  // namespace assay::metal::emulator::air
