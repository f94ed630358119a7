#include "metal/emulator/translate/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "metal/device/line_marker.h"

namespace assay::metal::emulator {

namespace {

bool is_identifier_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_identifier_part(char c) {
  return is_identifier_start(c) || is_digit(c);
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    add(TokenKind::end, 0);
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      new_line();
    } else if (is_blank(c)) {
      ++at_;
    } else if (c == '#' && at_line_start_) {
      directive();
    } else if (is_system_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      at_line_start_ = false;
      token();
    }
  }

  void new_line() {
    ++at_;
    line_start_ = at_;
    ++place_.line;
    at_line_start_ = true;
  }

  /// `# 12 "file" 1 3`: the next line is line 12 of the file.
  void directive() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = end;
    const auto marker = line_marker(line);
    if (!marker) return;
    place_.line = static_cast<std::uint32_t>(marker->line) - 1;
    place_.file = marker->escaped;
    is_system_ = marker->is_of_system_header();
  }

  void token() {
    const std::string_view rest = text_.substr(at_);
    const char c = rest[0];
    if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1]))) return add(TokenKind::number, number(rest));
    if (const std::size_t prefix = string_prefix(rest); prefix != std::string_view::npos) {
      const char quote = rest[prefix];
      return add(quote == '"' ? TokenKind::string : TokenKind::character, quoted(rest, prefix));
    }
    if (is_identifier_start(c)) {
      const auto* end = std::find_if_not(rest.begin(), rest.end(), is_identifier_part);
      return add(TokenKind::identifier, static_cast<std::size_t>(end - rest.begin()));
    }
    static constexpr std::array<std::string_view, 9> long_punctuators = {
        "...", "::", "->", "<<", "<=", ">=", "==", "!=", "##"};
    for (const std::string_view punctuator : long_punctuators)
      if (rest.starts_with(punctuator)) return add(TokenKind::punctuator, punctuator.size());
    add(TokenKind::punctuator, 1);
  }

  /// The length of a preprocessing number: [lex.ppnumber] of the C++ standard.
  static std::size_t number(std::string_view rest) {
    std::size_t n = 1;
    while (n < rest.size()) {
      const bool sign =
          (rest[n] == '+' || rest[n] == '-') && std::string_view("eEpP").find(rest[n - 1]) != std::string_view::npos;
      const bool separated = rest[n] == '\'' && n + 1 < rest.size() && is_identifier_part(rest[n + 1]);
      if (!sign && !separated && !is_identifier_part(rest[n]) && rest[n] != '.') break;
      ++n;
    }
    return n;
  }

  /// The position of the quote if a string or character literal, which may have a prefix, begins here.
  static std::size_t string_prefix(std::string_view rest) {
    for (const std::string_view prefix : {"", "u8", "u", "U", "L"})
      if (rest.starts_with(prefix) && rest.size() > prefix.size() &&
          (rest[prefix.size()] == '"' || rest[prefix.size()] == '\''))
        return prefix.size();
    return std::string_view::npos;
  }

  static std::size_t quoted(std::string_view rest, std::size_t open) {
    std::size_t n = open + 1;
    while (n < rest.size() && rest[n] != rest[open] && rest[n] != '\n') n += rest[n] == '\\' ? 2U : 1U;
    return std::min(n + 1, rest.size());
  }

  void add(TokenKind kind, std::size_t length) {
    place_.column = static_cast<std::uint32_t>(at_ - line_start_ + 1);
    tokens_.push_back({kind, text_.substr(at_, length), at_, place_});
    at_ += length;
  }

  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  bool at_line_start_ = true, is_system_ = false;
  TextPlace place_{"", 1, 1};
  std::vector<Token> tokens_;
};

}  // namespace

std::string to_string(const TextPlace& place) {
  return fmt::format("{}:{}:{}", unescaped_file(place.file), place.line, place.column);
}

bool is_hexadecimal(std::string_view number) {
  return number.starts_with("0x") || number.starts_with("0X");
}

bool is_unsuffixed_float(std::string_view number) {
  const std::size_t exponent = number.find_first_of(is_hexadecimal(number) ? "pP" : ".eE");
  return exponent != std::string_view::npos && number.find_first_of("fFhHlLbB", exponent) == std::string_view::npos;
}

/// 0xbf is an integer, 0x1p3bf is not.
std::optional<HalfLiteral> half_literal(std::string_view number) {
  if (number.ends_with("bf") || number.ends_with("BF")) {
    if (is_hexadecimal(number) && number.find_first_of("pP") == std::string_view::npos) return std::nullopt;
    return HalfLiteral{number.substr(0, number.size() - 2), true};
  }
  if (!number.ends_with('h') && !number.ends_with('H')) return std::nullopt;
  return HalfLiteral{number.substr(0, number.size() - 1), false};
}

std::vector<Token> lex(std::string_view text) {
  return Lexer(text).run();
}

}  // namespace assay::metal::emulator
