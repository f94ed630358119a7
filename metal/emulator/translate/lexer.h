// The tokens of preprocessed Metal source, each with its place in the original file.
//
// The places come from the line markers of the preprocessor (# 12 "file" 3). Text from system headers (flag 3) is the
// emulator's own and is skipped. So are remaining directives (#pragma).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::metal::emulator {

enum class TokenKind { identifier, number, string, character, punctuator, end };

struct TextPlace {
  std::string_view file;  ///< as a line marker of the preprocessed text writes it: escaped
  std::uint32_t line = 0, column = 0;
};

/// "file:line:column"
std::string to_string(const TextPlace& place);

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;   ///< in the preprocessed text; >> is two tokens, :: -> << <= >= == != are one
  std::size_t offset = 0;  ///< in the preprocessed text
  TextPlace place;

  bool operator==(std::string_view other) const { return text == other; }
};

/// The last token is TokenKind::end. `text` must outlive the tokens.
std::vector<Token> lex(std::string_view text);

/// A number of type half or bfloat, 1.5h or 2bf, without its suffix.
struct HalfLiteral {
  std::string_view number;
  bool is_bfloat = false;
};
std::optional<HalfLiteral> half_literal(std::string_view number);
bool is_hexadecimal(std::string_view number);
/// Whether it is 1.5, 2., 1e-3 or 0x1p4, without a suffix: a float in Metal, a double in C++.
bool is_unsuffixed_float(std::string_view number);

}  // namespace assay::metal::emulator
