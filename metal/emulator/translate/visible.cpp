#include <algorithm>

#include "metal/emulator/translate/passes.h"

namespace assay::metal::emulator {

std::vector<std::string> visible_functions(const Source& source, const Declarations& declarations) {
  std::vector<std::string> names;
  for (const Declaration& declaration : declarations) {
    const bool is_function = declaration.kind == DeclarationKind::function && declaration.body != no_token;
    if (!is_function || declaration.is_member || declaration.is_template) continue;
    const auto attributes = source.attributes(declaration.first, declaration.parameters);
    if (std::ranges::any_of(attributes, [](const Attribute& attribute) {
          return attribute.name == "visible" || attribute.name == "stitchable";
        }))
      names.push_back(declaration.scope + std::string(source[declaration.name].text));
  }
  return names;
}

}  // namespace assay::metal::emulator
