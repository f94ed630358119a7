#include "metal/emulator/translate/passes.h"

#include <fmt/format.h>

#include "metal/emulator/translate/kernels.h"

namespace assay::metal::emulator {

namespace {

class Pointers {
 public:
  explicit Pointers(const Source& source) : source_(source) {}

  void look_at(const Declaration& declaration) {
    if (declaration.kind == DeclarationKind::variable) declarator(declaration.specifiers, declaration.last);
    if (declaration.kind != DeclarationKind::function) return;
    for (const auto& [first, last] : split_parameters(source_, declaration.parameters)) declarator(first, last);
    if (declaration.body != no_token) statements(declaration.body + 1, declaration.last - 1);
  }

  std::vector<std::string> found() && { return std::move(found_); }

 private:
  /// Looks at a declaration in [first, last).
  void declarator(std::size_t first, std::size_t last) {
    std::size_t n = source_.type_end(first, last);
    if (n == first) return;
    if (source_[n] == "(") ++n;
    const bool is_forwarding = source_[n] == "&" && source_[n + 1] == "&";
    if ((source_[n] != "*" && source_[n] != "&") || is_forwarding) return;
    for (std::size_t word = first; word < n; ++word)
      if (source_.is_address_space(word)) {
        // device float**: the outer pointer has none
        if (source_[n] != "*" || (source_[n + 1] != "*" && source_[n + 1] != "&")) return;
        n += 1;
        break;
      }
    const char* what = source_[n] == "*" ? "pointer" : "reference";
    found_.push_back(fmt::format("{}: error: {} type must have explicit address space qualifier\n",
                                 to_string(source_[first].place), what));
  }

  /// Looks at local variables. At the beginning of a statement, `T* x = ...` and `T& x = ...` cannot be expressions.
  void statements(std::size_t first, std::size_t last) {
    for (std::size_t n = first; n < last; ++n) {
      const Token& before = source_[n - 1];
      if (before != ";" && before != "}" && !(before == "{" && begins_block(n - 1))) continue;
      if (source_[n] == "return" || source_[n] == "using" || source_[n] == "auto" || source_[n] == "const") {
        if (source_[n] != "const" || source_[n + 1] == "auto") continue;
      }
      const std::size_t end = source_.type_end(n, last);
      if (end == n || (source_[end] != "*" && source_[end] != "&") || !source_.is_identifier(end + 1)) continue;
      const Token& after = source_[end + 2];
      if (after == "=" || after == ";" || after == ",") declarator(n, last);
    }
  }

  /// Whether the brace begins statements, and not a list of values, as in `return {a * b, c}`.
  bool begins_block(std::size_t brace) const {
    const Token& before = source_[brace - 1];
    for (const char* const word : {")", ";", "{", "}", ":", "else", "do"})
      if (before == word) return true;
    return false;
  }

  const Source& source_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> unqualified_pointers(const Source& source, const std::vector<Declaration>& declarations) {
  Pointers pointers(source);
  for (const Declaration& declaration : declarations) pointers.look_at(declaration);
  return std::move(pointers).found();
}

}  // namespace assay::metal::emulator
