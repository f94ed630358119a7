#include "metal/emulator/translate/reachable.h"

#include <string_view>

namespace assay::metal::emulator {

namespace {

/// Whether a name behind this word is used, and not declared: the word is no type.
bool precedes_use(std::string_view word) {
  static const std::set<std::string_view> words = {
      "return",   "case",      "else",   "do",       "sizeof",   "alignof", "not",         "and",    "or",
      "xor",      "compl",     "public", "private",  "virtual",  "const",   "volatile",    "device", "operator",
      "constant", "constexpr", "thread", "coherent", "typename", "static",  "threadgroup", "inline", "protected"};
  return words.contains(word);
}

std::size_t name_of(const Source& source, const Declaration& declaration) {
  switch (declaration.kind) {
    case DeclarationKind::function:
      return declaration.name;
    case DeclarationKind::variable:
      return source.type_end(declaration.specifiers, declaration.last);
    case DeclarationKind::type:
      return type_name(source, declaration);
    case DeclarationKind::other:
      return source[declaration.specifiers] == "using" ? declaration.specifiers + 1 : no_token;
    case DeclarationKind::instantiation:
      break;
  }
  return no_token;
}

}  // namespace

Reachable::Reachable(const Source& source, const std::vector<Declaration>& declarations)
    : source_(source), declarations_(declarations) {
  for (std::size_t n = 0; n < declarations.size(); ++n)
    if (!declarations[n].is_member) add(n);
}

void Reachable::add(std::size_t declaration) {
  const Declaration& here = declarations_[declaration];
  std::size_t name = name_of(source_, here);
  if (name >= source_.size()) return;
  // typedef struct A { ... } B;
  if (here.kind == DeclarationKind::type && source_[here.specifiers] == "typedef")
    by_name_.emplace(source_[here.specifiers + 2].text, declaration);
  // void X<T>::f() {}: it belongs to X
  while (here.kind == DeclarationKind::function && name >= here.specifiers + 2 && source_[name - 1] == "::") {
    std::size_t scope = name - 2;
    if (source_[scope] == ">")
      if (const auto open = source_.match_angle_back(scope)) scope = *open - 1;
    by_name_.emplace(source_[scope].text, declaration);
    name = scope;
  }
  by_name_.emplace(source_[name].text, declaration);
}

/// Whether a name stands between a type and what follows the name in a declaration.
bool Reachable::is_declared_at(std::size_t token) const {
  if (token == 0 || !source_.is_identifier(token - 1) || precedes_use(source_[token - 1].text)) return false;
  const std::string_view after = source_[token + 1].text;
  return after.size() == 1 && std::string_view(";=,()[{:").find(after.front()) != std::string_view::npos;
}

Reachable::Found Reachable::from(std::vector<std::size_t> begin) const {
  Found found;
  found.declarations.insert(begin.begin(), begin.end());
  for (std::vector<std::size_t> next = std::move(begin); !next.empty();) {
    const Declaration& here = declarations_[next.back()];
    next.pop_back();
    for (std::size_t n = here.first; n < here.last; ++n) {
      const bool is_member = n > 0 && (source_[n - 1] == "." || source_[n - 1] == "->");
      // template void f(float): it uses the template
      const bool is_declared = here.kind != DeclarationKind::instantiation && is_declared_at(n);
      if (!source_.is_identifier(n) || is_member || is_declared) continue;
      found.names.insert(source_[n].text);
      const auto [first, last] = by_name_.equal_range(source_[n].text);
      for (auto named = first; named != last; ++named)
        if (found.declarations.insert(named->second).second) next.push_back(named->second);
    }
  }
  return found;
}

}  // namespace assay::metal::emulator
