// Preprocessed Metal source as tokens, with what finding one's way in them takes: brackets, attributes, types.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "metal/emulator/translate/lexer.h"

namespace assay::metal::emulator {

/// What a shader is refused for: "file:line:column: error: ...".
struct TranslationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// [[name(arguments)]]; a list of them in one pair of brackets is several.
struct Attribute {
  std::string_view name;
  std::size_t first = 0, last = 0;  ///< tokens of the arguments, [first, last)
};

class Source {
 public:
  explicit Source(std::string_view text);

  std::string_view text() const { return text_; }
  const std::vector<Token>& tokens() const { return tokens_; }
  const Token& operator[](std::size_t token) const { return tokens_[token]; }
  std::size_t size() const { return tokens_.size() - 1; }  ///< without the end

  [[noreturn]] void fail(std::size_t token, std::string_view what) const;

  /// The other bracket of ( ) [ ] { }.
  std::size_t match(std::size_t bracket) const { return match_[bracket]; }
  /// The > of a template's argument list that the < at `open` begins; nothing where it is a comparison.
  std::optional<std::size_t> match_angle(std::size_t open) const;
  /// The < whose argument list ends at `close`.
  std::optional<std::size_t> match_angle_back(std::size_t close) const;

  bool is_attribute(std::size_t token) const { return attribute_[token]; }
  /// The attributes written in [first, last), not counting those within parentheses.
  std::vector<Attribute> attributes(std::size_t first, std::size_t last) const;

  bool is_word(std::size_t token) const { return tokens_[token].kind == TokenKind::word; }
  /// device, constant, thread, threadgroup, outside of attributes
  bool is_address_space(std::size_t token) const;
  /// An address space after a method's parameters: `float get() const device { ... }`.
  bool is_method_qualifier(std::size_t token) const;

  /// Where the type, with its storage classes and qualifiers, that begins at `first` ends. The same as `first` where
  /// there is none.
  std::size_t type_end(std::size_t first, std::size_t last) const;

  /// The text of [first, last) on one line, without attributes.
  std::string join(std::size_t first, std::size_t last) const;
  /// The text of the arguments.
  std::string join(const Attribute& attribute) const;

  /// The first of `punctuators` in [first, last) that no brackets enclose, else `last`. Looks into attributes only
  /// where it begins within one.
  std::size_t find(std::size_t first, std::size_t last, std::string_view punctuators) const;

 private:
  /// `end` is where the token before it ends in the source.
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
