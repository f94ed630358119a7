#include <map>
#include <set>

#include "metal/emulator/translate/passes.h"

namespace assay::metal::emulator {

namespace {

/// Whether an expression may follow this word, so that it is no type.
bool precedes_expression(std::string_view word) {
  static const std::set<std::string_view> words = {"return", "case", "else", "do",  "sizeof", "alignof",
                                                   "not",    "and",  "or",   "xor", "compl",  "operator"};
  return words.contains(word);
}

/// Follows names from declaration to declaration. A name stands for everything at program scope that is called so, so
/// that too much may be found, and nothing is missed.
class Names {
 public:
  Names(const Source& source, const Declarations& declarations) : source_(source), declarations_(declarations) {
    for (std::size_t n = 0; n < declarations.size(); ++n)
      if (const std::size_t name = name_of(declarations[n]); name < source.size())
        by_name_.emplace(source[name].text, n);
  }

  /// All names that this declaration uses, and those that it names.
  std::set<std::string_view> reached_from(std::size_t declaration) const {
    std::set<std::string_view> names;
    std::set<std::size_t> seen = {declaration};
    for (std::vector<std::size_t> next = {declaration}; !next.empty();) {
      const Declaration& here = declarations_[next.back()];
      next.pop_back();
      for (std::size_t n = here.first; n < here.last; ++n) {
        if (!source_.is_identifier(n) || is_declared_at(n)) continue;
        if (!is_member(n)) names.insert(source_[n].text);
        const auto [first, last] = by_name_.equal_range(source_[n].text);
        for (auto named = first; named != last; ++named)
          if ((!is_member(n) || declarations_[named->second].kind == DeclarationKind::function) &&
              seen.insert(named->second).second)
            next.push_back(named->second);
      }
    }
    return names;
  }

 private:
  bool is_member(std::size_t token) const {
    return token > 0 && (source_[token - 1] == "." || source_[token - 1] == "->");
  }

  /// Whether a name stands between a type and what follows the name in a declaration.
  bool is_declared_at(std::size_t token) const {
    if (token == 0 || !source_.is_identifier(token - 1) || precedes_expression(source_[token - 1].text)) return false;
    const std::string_view after = source_[token + 1].text;
    return after.size() == 1 && std::string_view(";=,()[{:").find(after.front()) != std::string_view::npos;
  }

  std::size_t name_of(const Declaration& declaration) const {
    switch (declaration.kind) {
      case DeclarationKind::function:
        return declaration.name;
      case DeclarationKind::variable:
        return source_.type_end(declaration.specifiers, declaration.last);
      case DeclarationKind::type: {
        const std::size_t key = declaration.specifiers + (source_[declaration.specifiers] == "typedef" ? 1 : 0);
        return key + 1;
      }
      case DeclarationKind::other:
        return source_[declaration.specifiers] == "using" ? declaration.specifiers + 1 : no_token;
      case DeclarationKind::instantiation:
        break;
    }
    return no_token;
  }

  const Source& source_;
  const Declarations& declarations_;
  std::multimap<std::string_view, std::size_t> by_name_;
};

}  // namespace

std::vector<std::set<std::size_t>> needed_constants(const Source& source, const Declarations& declarations,
                                                    const Kernels& kernels,
                                                    const std::vector<ProgramConstant>& constants) {
  std::vector<std::set<std::size_t>> needed(kernels.definitions.size());
  if (constants.empty()) return needed;
  const Names names(source, declarations);
  for (std::size_t kernel = 0; kernel < needed.size(); ++kernel) {
    const auto reached = names.reached_from(kernels.definitions[kernel].declaration);
    for (std::size_t n = 0; n < constants.size(); ++n)
      if (!constants[n].is_computed && !constants[n].is_optional && reached.contains(constants[n].name))
        needed[kernel].insert(n);
  }
  return needed;
}

}  // namespace assay::metal::emulator
