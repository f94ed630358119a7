#include "metal/emulator/air/private_arrays.h"

#include <fmt/format.h>

#include <charconv>

namespace assay::metal::emulator::air {

namespace {

/// The number of elements of "[8 x float]"; nothing for other types, and for arrays of arrays or of structs, where an
/// optimiser may reach the next part by an index of the one before.
std::optional<std::uint64_t> count_of(std::string_view type) {
  type = ir::trimmed(type);
  if (!type.starts_with('[') || !type.ends_with(']')) return std::nullopt;
  std::uint64_t count = 0;
  const auto [end, problem] = std::from_chars(type.data() + 1, type.data() + type.size(), count);
  const std::string_view rest(end, static_cast<std::size_t>(type.data() + type.size() - end));
  const bool is_plain = rest.find_first_of("[{%") == std::string_view::npos;
  return problem == std::errc() && rest.starts_with(" x ") && is_plain ? std::optional(count) : std::nullopt;
}

std::string type_name(std::uint64_t count) {
  return fmt::format("an array of {}", count);
}

}  // namespace

void PrivateArrays::enter_function() {
  arrays_.clear();
  elements_.clear();
}

void PrivateArrays::note(const ir::Instruction& instruction) {
  const auto operands = ir::parts(instruction.operands);
  if (instruction.opcode == "alloca" && !operands.empty()) {
    if (const auto count = count_of(operands[0])) arrays_.emplace(instruction.result, *count);
    return;
  }
  if (instruction.opcode != "getelementptr" || operands.size() != 4) return;
  const auto array = arrays_.find(ir::value(operands[1]).name);
  std::string_view type = operands[0];
  if (type.starts_with("inbounds ")) type.remove_prefix(std::string_view("inbounds ").size());
  const auto count = count_of(type);
  const ir::Value first = ir::value(operands[2]), index = ir::value(operands[3]);
  if (array == arrays_.end() || count != array->second || first.name != "0" || !index.name.starts_with('%')) return;
  elements_.emplace(instruction.result, Element{*count, std::string(index.type), std::string(index.name)});
}

std::optional<PrivateArrays::Element> PrivateArrays::element_of(const ir::Instruction& instruction) const {
  if (instruction.opcode != "load" && instruction.opcode != "store") return std::nullopt;
  const auto operands = ir::parts(instruction.operands);
  if (operands.size() < 2) return std::nullopt;
  const auto found = elements_.find(ir::value(operands[1]).name);
  return found == elements_.end() ? std::nullopt : std::optional(found->second);
}

std::string PrivateArrays::before_access(const ir::Instruction& instruction, const std::string& site) {
  const Element element = *element_of(instruction);
  counts_.insert(element.count);
  std::string text, index = element.index;
  if (element.type != "i64") {
    index = fmt::format("%\"assay.index.{}\"", accesses_++);
    text = fmt::format("  {} = sext {} {} to i64\n", index, element.type, element.index);
  }
  return text + fmt::format("  call void @assay_air_index(i64 {}, i64 {}, ptr @assay.air.array.{}, ptr {})", index,
                            element.count, element.count, site);
}

std::string PrivateArrays::definitions() const {
  std::string text;
  for (const std::uint64_t count : counts_) {
    const std::string name = type_name(count);
    text +=
        fmt::format("@assay.air.array.{} = internal constant [{} x i8] c\"{}\\00\"\n", count, name.size() + 1, name);
  }
  if (!counts_.empty()) text += "declare void @assay_air_index(i64, i64, ptr, ptr)\n";
  return text;
}

}  // namespace assay::metal::emulator::air
