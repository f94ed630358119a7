#include "metal/emulator/translate/passes.h"

#include <fmt/format.h>

#include <map>
#include <string>

namespace assay::metal::emulator {

namespace {

std::string tokens_text(const Source& source, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t n = first; n < last; ++n)
    if (!source.is_attribute(n)) text.append(source[n].text).append(" ");
  return text;
}

struct Seen {
  std::string head, body;
};

}  // namespace

void merge_overloads(const Source& source, const std::vector<Declaration>& declarations, Edits& edits) {
  std::map<std::string, Seen> seen;
  for (const Declaration& declaration : declarations) {
    const bool is_type = declaration.kind == DeclarationKind::type && declaration.is_template;
    if (declaration.kind != DeclarationKind::function && !is_type) continue;
    const bool has_body = declaration.body != no_token;
    if (!has_body && !declaration.is_member) continue;
    const std::size_t head_end = has_body ? declaration.body : declaration.last;
    const std::string key = declaration.scope + " " + source.join_without_address_spaces(declaration.first, head_end);
    const Seen now{tokens_text(source, declaration.first, head_end),
                   source.join_without_address_spaces(head_end, declaration.last)};
    const auto [earlier, is_new] = seen.try_emplace(key, now);
    if (is_new || earlier->second.head == now.head) continue;
    if (earlier->second.body != now.body)
      source.fail(declaration.first,
                  "this differs from an earlier declaration in address spaces only and does not do the same, which is "
                  "not supported");
    edits.erase(declaration.first, declaration.last);
  }
}

}  // namespace assay::metal::emulator
