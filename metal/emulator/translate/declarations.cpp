#include "metal/emulator/translate/declarations.h"

#include <optional>

namespace assay::metal::emulator {

namespace {

class Walker {
 public:
  explicit Walker(const Source& source) : source_(source) {}

  std::vector<Declaration> run() {
    walk(0, source_.size(), "::", false);
    return std::move(found_);
  }

 private:
  void walk(std::size_t first, std::size_t last, const std::string& scope, bool is_class) {
    while (first < last) first = declaration(first, last, scope, is_class);
  }

  std::size_t declaration(std::size_t first, std::size_t last, const std::string& scope, bool is_class) {
    const Token& token = source_[first];
    if (token == ";") return first + 1;
    if (is_class && source_[first + 1] == ":" && (token == "public" || token == "private" || token == "protected"))
      return first + 2;
    if (const auto after = name_space(first, last, scope)) return *after;
    Declaration found;
    found.scope = scope;
    found.is_member = is_class;
    found.first = first;
    skip_template_heads(found);
    const std::size_t next = rest(found, last);
    return next;
  }

  std::optional<std::size_t> name_space(std::size_t first, std::size_t last, const std::string& scope) {
    std::size_t n = first;
    if (source_[n] == "inline" && source_[n + 1] == "namespace") ++n;
    const bool is_linkage = source_[n] == "extern" && source_[n + 1].kind == TokenKind::string;
    if (!is_linkage && source_[n] != "namespace") return std::nullopt;
    if (is_linkage && source_[n + 2] != "{") return std::nullopt;  // extern "C" of one declaration
    const std::size_t end = source_.find(n, last, ";{=");
    if (end == last || source_[end] != "{") return source_.find(n, last, ";") + 1;
    std::string inner = scope;
    for (std::size_t name = n + 1; name < end && !is_linkage; ++name)
      if (source_.is_identifier(name) && !source_.is_attribute(name)) inner.append(source_[name].text).append("::");
    walk(end + 1, source_.match(end), inner, false);
    return source_.match(end) + 1;
  }

  void skip_template_heads(Declaration& found) const {
    found.specifiers = found.first;
    while (source_[found.specifiers] == "template") {
      const std::size_t open = found.specifiers + 1;
      if (source_[open] != "<") {
        found.kind = DeclarationKind::instantiation;
        return;
      }
      const auto close = source_.match_angle(open);
      if (!close) source_.fail(open, "cannot tell where this template's parameters end");
      found.is_template = true;
      found.specifiers = *close + 1;
    }
  }

  /// Reads a declaration from its specifiers on. Its kind depends on which of ; = { ( comes first.
  std::size_t rest(Declaration& found, std::size_t last) {
    if (found.kind == DeclarationKind::instantiation || is_plain(found.specifiers)) return simple(found, last);
    bool is_class = false;
    for (std::size_t n = found.specifiers; n < last; ++n) {
      const Token& token = source_[n];
      if (source_.is_attribute(n)) {
        n = source_.match(n);
      } else if (token == "operator") {
        n = operator_end(n, last);
        return function(found, n, found.name = n - 1, last);
      } else if (source_.is_identifier(n)) {
        is_class = is_class || token == "struct" || token == "class" || token == "union" || token == "enum";
        const bool skips = token == "alignas" || token == "__attribute__" || token == "decltype" || token == "explicit";
        if (skips && source_[n + 1] == "(") n = source_.match(n + 1);
      } else if (token == "<") {
        if (const auto close = source_.match_angle(n)) n = *close;
      } else if (token == "(") {
        const bool is_pointer = source_[n + 1] == "*" || source_[n + 1] == "&";
        if (is_pointer) return variable(found, last);
        return function(found, n, name_before(n), last);
      } else if (token == "{" && is_class) {
        return class_body(found, n, last);
      } else if (token == ";" || token == "=" || token == "{" || token == "[") {
        return variable(found, last);
      }
    }
    return last;
  }

  bool is_plain(std::size_t n) const {
    const Token& token = source_[n];
    return token == "using" || token == "static_assert" || token == "friend" || token == "concept";
  }

  std::size_t simple(Declaration& found, std::size_t last) {
    found.last = std::min(source_.find(found.first, last, ";") + 1, last);
    return add(found);
  }

  std::size_t variable(Declaration& found, std::size_t last) {
    found.kind = DeclarationKind::variable;
    return simple(found, last);
  }

  /// The ( of an operator's parameters.
  std::size_t operator_end(std::size_t n, std::size_t last) const {
    if (source_[n + 1] == "(") return n + 3;
    return source_.find(n + 1, last, "(");
  }

  std::size_t name_before(std::size_t parenthesis) const {
    std::size_t n = parenthesis - 1;
    if (source_[n] == ">")
      if (const auto open = source_.match_angle_back(n)) n = *open - 1;
    return n;
  }

  std::size_t class_body(Declaration& found, std::size_t open, std::size_t last) {
    found.kind = DeclarationKind::type;
    found.body = open;
    const std::string head = source_.join(found.specifiers, open);
    if (!head.starts_with("enum")) walk(open + 1, source_.match(open), found.scope + head + "::", true);
    found.last = std::min(source_.find(source_.match(open), last, ";") + 1, last);
    return add(found);
  }

  std::size_t function(Declaration& found, std::size_t open, std::size_t name, std::size_t last) {
    found.kind = DeclarationKind::function;
    found.name = name;
    found.parameters = open;
    std::size_t n = source_.match(open) + 1;
    while (n < last && source_[n] != ";" && source_[n] != "{" && source_[n] != ":" && source_[n] != "=") {
      if (source_[n] == "(" || source_[n] == "[") n = source_.match(n);
      ++n;
    }
    if (n < last && source_[n] == ":") n = after_initializers(n + 1, last);
    if (n >= last || source_[n] != "{") {
      found.last = std::min(source_.find(n, last, ";") + 1, last);
      return add(found);
    }
    found.body = n;
    found.last = source_.match(n) + 1;
    return add(found);
  }

  /// The { of a constructor's body, after `: a(1), b{2}`.
  std::size_t after_initializers(std::size_t n, std::size_t last) const {
    while (n < last) {
      n = source_.find(n, last, "({");
      if (n == last) break;
      n = source_.match(n) + 1;
      if (n < last && source_[n] == "{") break;
      if (n < last && source_[n] == ",") ++n;
    }
    return n;
  }

  std::size_t add(const Declaration& found) {
    found_.push_back(found);
    return found.last;
  }

  const Source& source_;
  std::vector<Declaration> found_;
};

}  // namespace

std::vector<Declaration> find_declarations(const Source& source) {
  return Walker(source).run();
}

std::size_t type_name(const Source& source, const Declaration& type) {
  const bool is_typedef = source[type.specifiers] == "typedef" && source.is_identifier(type.last - 2);
  if (is_typedef) return type.last - 2;
  std::size_t name = type.body;
  for (std::size_t n = type.specifiers + 1; n < type.body && source[n] != ":" && source[n] != "<"; ++n) {
    if (source[n] == "(") n = source.match(n);
    if (source.is_identifier(n) && !source.is_attribute(n)) name = n;
  }
  return name;
}

}  // namespace assay::metal::emulator
