// The tokens of preprocessed Metal source, each with its place in the file that it was written in.
//
// The line markers of the preprocessor (# 12 "file" 3) give the places. Text from system headers (flag 3) is ours and
// is not looked at; directives that are left over (#pragma) are not tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::metal::emulator {

enum class TokenKind { word, number, string, character, punctuator, end };

struct TextPlace {
  std::string_view file;  ///< of the preprocessed text
  std::uint32_t line = 0, column = 0;
};

/// "file:line:column"
std::string to_string(const TextPlace& place);

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;   ///< of the preprocessed text; >> comes as two tokens, :: -> << <= >= == != as one
  std::size_t offset = 0;  ///< in the preprocessed text
  TextPlace place;

  bool operator==(std::string_view other) const { return text == other; }
};

/// The last token is TokenKind::end. `text` has to outlive the tokens.
std::vector<Token> lex(std::string_view text);

}  // namespace assay::metal::emulator
