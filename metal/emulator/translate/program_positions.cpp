// Positions of threads that are declared at program scope (Metal Shading Language Specification, section 5.9).
#include <fmt/format.h>

#include <algorithm>

#include "metal/emulator/abi/positions.h"
#include "metal/emulator/translate/passes.h"

namespace assay::metal::emulator {

namespace {

/// `type name [[attribute]];`
struct ProgramPosition {
  std::string type, attribute;
  std::string_view name;
};

bool mentions(const Source& source, std::size_t first, std::size_t last, std::string_view name) {
  for (std::size_t n = first; n < last; ++n)
    if (source[n].text == name && !source.is_attribute(n)) return true;
  return false;
}

ProgramPosition position_of(const Source& source, const Declaration& declaration) {
  const std::size_t name = source.type_end(declaration.specifiers, declaration.last);
  const std::string_view attribute = source.attributes(declaration.first, declaration.last).front().name;
  return {source.join(declaration.specifiers, name),
          std::string(attribute == "thread_execution_width" ? "threads_per_simdgroup" : attribute), source[name].text};
}

}  // namespace

bool is_program_position(const Source& source, const Declaration& declaration) {
  if (declaration.kind != DeclarationKind::variable || declaration.is_member) return false;
  const auto attributes = source.attributes(declaration.first, declaration.last);
  return attributes.size() == 1 && std::ranges::find(abi::positions, attributes.front().name) != abi::positions.end();
}

void translate_program_positions(const Source& source, const Declarations& declarations, const char* value,
                                 Edits& edits) {
  for (const Declaration& declaration : declarations) {
    if (!is_program_position(source, declaration)) continue;
    if (value == nullptr)
      source.fail(declaration.first, "a thread's position at program scope, which NVIDIA GPUs do not have here");
    for (std::size_t n = declaration.first; n < declaration.last; ++n)
      if (source[n] == "constant")
        source.fail(n, "a thread's position at program scope is no constant: declare it without `constant`");
    const auto [type, attribute, name] = position_of(source, declaration);
    edits.erase(declaration.first, declaration.last);
    for (const Declaration& function : declarations) {
      if (function.kind != DeclarationKind::function || function.body == no_token) continue;
      if (!mentions(source, function.body, function.last, name) ||
          mentions(source, function.parameters, function.body, name))
        continue;
      edits.insert(function.body + 1, fmt::format("const {} {} = ", type, name) +
                                          fmt::format(fmt::runtime(value), type, attribute) + "; { ");
      edits.insert(function.last - 1, "} ");
    }
  }
}

}  // namespace assay::metal::emulator
