// The tokens of preprocessed Metal source, with functions that find matching brackets, attributes and types.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "metal/emulator/translate/lexer.h"

namespace assay::metal::emulator {

/// Why a shader is refused: "file:line:column: error: ...".
struct TranslationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// [[name(arguments)]]. [[a, b]] is two attributes.
struct Attribute {
  std::string_view name;
  std::size_t first = 0, last = 0;  ///< tokens [first, last) of the arguments
};

class Source {
 public:
  explicit Source(std::string_view text);

  std::string_view text() const { return text_; }
  const std::vector<Token>& tokens() const { return tokens_; }
  const Token& operator[](std::size_t token) const { return tokens_[token]; }
  std::size_t size() const { return tokens_.size() - 1; }  ///< without TokenKind::end

  [[noreturn]] void fail(std::size_t token, std::string_view what) const;

  /// The matching bracket of a bracket ( ) [ ] { }.
  std::size_t match(std::size_t bracket) const { return match_[bracket]; }
  /// The > that matches the < at `open`; nothing if the < is a comparison.
  std::optional<std::size_t> match_angle(std::size_t open) const;
  /// The < that matches the > at `close`.
  std::optional<std::size_t> match_angle_back(std::size_t close) const;

  bool is_attribute(std::size_t token) const { return attribute_[token]; }
  /// The attributes in [first, last) outside of parentheses.
  std::vector<Attribute> attributes(std::size_t first, std::size_t last) const;

  bool is_identifier(std::size_t token) const { return tokens_[token].kind == TokenKind::identifier; }
  /// Whether it is device, constant, thread or threadgroup, and not in an attribute.
  bool is_address_space(std::size_t token) const;
  bool is_fundamental_type(std::size_t token) const;  ///< int, float, half, unsigned, ...
  /// Whether an address space follows a method's parameters: `float get() const device { ... }`.
  bool is_method_qualifier(std::size_t token) const;

  /// The end of the type, with its storage classes and qualifiers, that begins at `first`; `first` if there is no type.
  std::size_t type_end(std::size_t first, std::size_t last) const;

  /// The text of [first, last) on one line, without attributes.
  std::string join(std::size_t first, std::size_t last) const;
  /// The same without address spaces, but with `const` for `constant`, and with a blank between any two tokens.
  std::string join_without_address_spaces(std::size_t first, std::size_t last) const;
  /// The text of the attribute's arguments.
  std::string join(const Attribute& attribute) const;

  /// The first of `punctuators` in [first, last) that is not inside brackets; `last` if there is none. Skips
  /// attributes, unless `first` is inside one.
  std::size_t find(std::size_t first, std::size_t last, std::string_view punctuators) const;

 private:
  /// Appends a token, and a blank before it if one separates it in the source from `end`, the end of the token before.
  void append(std::string& text, std::size_t& end, std::size_t token) const;
  bool is_opening_angle(std::size_t token) const;
  void match_brackets();
  void mark_attributes();
  std::size_t name_end(std::size_t first, std::size_t last) const;

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> match_;
  std::vector<bool> attribute_;
};

}  // namespace assay::metal::emulator
