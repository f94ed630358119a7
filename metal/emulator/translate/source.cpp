#include "metal/emulator/translate/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay::metal::emulator {

namespace {

template <std::size_t n>
bool is_one_of(const Token& token, const std::array<std::string_view, n>& words) {
  return std::ranges::find(words, token.text) != words.end();
}

constexpr std::array<std::string_view, 4> address_spaces = {"device", "constant", "thread", "threadgroup"};
constexpr std::array<std::string_view, 18> qualifiers = {
    "const",  "volatile", "static",   "constexpr", "inline", "extern", "mutable", "register", "typename",
    "friend", "typedef",  "coherent", "device",    "thread", "kernel", "virtual", "constant", "threadgroup"};
constexpr std::array<std::string_view, 14> fundamental = {"unsigned", "signed", "long",   "short", "int",
                                                          "char",     "float",  "double", "bool",  "void",
                                                          "half",     "uint",   "ushort", "uchar"};
constexpr std::array<std::string_view, 4> class_keys = {"struct", "class", "union", "enum"};
constexpr std::array<std::string_view, 3> with_parentheses = {"alignas", "__attribute__", "coherent"};
/// As in clang. The passes call themselves for what is in brackets.
constexpr std::size_t most_depth = 256;

/// No list of template arguments is as long. Each of many open angles would be searched to the end of the text.
constexpr std::size_t most_angle_steps = 4096;

constexpr std::array<std::string_view, 3> type_operators = {"decltype", "__typeof__", "typeof"};

}  // namespace

Source::Source(std::string_view text) : text_(text), tokens_(lex(text)) {
  match_brackets();
  mark_attributes();
}

void Source::fail(std::size_t token, std::string_view what) const {
  throw TranslationError(fmt::format("{}: error: {}\n", to_string(tokens_[token].place), what));
}

void Source::match_brackets() {
  match_.assign(tokens_.size(), 0);
  std::vector<std::size_t> open;
  for (std::size_t n = 0; n < size(); ++n) {
    const Token& token = tokens_[n];
    if (token.kind != TokenKind::punctuator) continue;
    if (token == "(" || token == "[" || token == "{") open.push_back(n);
    if (open.size() > most_depth)
      fail(open.front(), fmt::format("brackets are nested more than {} deep: is '{}' never closed?", most_depth,
                                     tokens_[open.front()].text));
    if (token == ")" || token == "]" || token == "}") {
      const std::string_view expected = token == ")" ? "(" : token == "]" ? "[" : "{";
      if (open.empty()) fail(n, fmt::format("'{}' closes nothing", token.text));
      if (tokens_[open.back()] != expected)
        fail(open.back(), fmt::format("'{}' is not closed before the '{}' of line {}", tokens_[open.back()].text,
                                      token.text, token.place.line));
      match_[n] = open.back();
      match_[open.back()] = n;
      open.pop_back();
    }
  }
  if (!open.empty()) fail(open.back(), fmt::format("'{}' is never closed", tokens_[open.back()].text));
}

void Source::mark_attributes() {
  attribute_.assign(tokens_.size(), false);
  for (std::size_t n = 0; n + 1 < size(); ++n)
    if (tokens_[n] == "[" && tokens_[n + 1] == "[" && match_[n] == match_[n + 1] + 1)
      std::fill(attribute_.begin() + static_cast<std::ptrdiff_t>(n),
                attribute_.begin() + static_cast<std::ptrdiff_t>(match_[n]) + 1, true);
}

/// A < that does not follow a name is a comparison.
bool Source::is_opening_angle(std::size_t token) const {
  return tokens_[token] == "<" && token > 0 && is_identifier(token - 1);
}

std::optional<std::size_t> Source::match_angle(std::size_t open) const {
  std::size_t depth = 0, steps = 0;
  for (std::size_t n = open; n < size() && ++steps < most_angle_steps; ++n) {
    const Token& token = tokens_[n];
    if (token.kind != TokenKind::punctuator) continue;
    if (token == "(" || token == "[" || token == "{") n = match_[n];
    if (is_opening_angle(n)) ++depth;
    if (token == ">" && --depth == 0) return n;
    if (token == ")" || token == "]" || token == "}" || token == ";") break;
  }
  return std::nullopt;
}

std::optional<std::size_t> Source::match_angle_back(std::size_t close) const {
  std::size_t depth = 0, steps = 0;
  for (std::size_t n = close + 1; n-- > 0 && ++steps < most_angle_steps;) {
    const Token& token = tokens_[n];
    if (token.kind != TokenKind::punctuator) continue;
    if (token == ")" || token == "]" || token == "}") n = match_[n];
    if (token == ">") ++depth;
    if (is_opening_angle(n) && --depth == 0) return n;
    if (token == "(" || token == "[" || token == "{" || token == ";") break;
  }
  return std::nullopt;
}

std::vector<Attribute> Source::attributes(std::size_t first, std::size_t last) const {
  std::vector<Attribute> found;
  for (std::size_t n = first; n < last; ++n) {
    if (!attribute_[n]) {
      if (tokens_[n] == "(" && match_[n] < last) n = match_[n];
      continue;
    }
    const std::size_t end = match_[n] - 1;
    for (n += 2; n < end; ++n) {
      Attribute attribute{tokens_[n].text, n + 1, n + 1};
      if (tokens_[n + 1] == "(") attribute = {tokens_[n].text, n + 2, match_[n + 1]};
      n = find(attribute.last, end, ",");
      found.push_back(attribute);
    }
    n = end + 1;
  }
  return found;
}

bool Source::is_address_space(std::size_t token) const {
  return is_identifier(token) && !attribute_[token] && is_one_of(tokens_[token], address_spaces);
}

bool Source::is_fundamental_type(std::size_t token) const {
  return is_identifier(token) && is_one_of(tokens_[token], fundamental);
}

bool Source::is_method_qualifier(std::size_t token) const {
  const auto is_trailing = [&](std::size_t n) {
    return tokens_[n] == "const" || tokens_[n] == "volatile" || tokens_[n] == "noexcept" || is_address_space(n);
  };
  std::size_t before = token, after = token;
  while (before > 0 && is_trailing(before)) --before;
  while (after < size() && (is_trailing(after) || attribute_[after])) ++after;
  const Token& next = tokens_[after];
  return tokens_[before] == ")" && (next == "{" || next == ";" || next == ":" || next == "->" || next == "=");
}

/// A name with its template arguments and scopes: metal::vec<T, 4>::type
std::size_t Source::name_end(std::size_t first, std::size_t last) const {
  std::size_t n = first;
  while (n < last) {
    if (tokens_[n] == "::") ++n;
    if (tokens_[n] == "template") ++n;
    if (!is_identifier(n)) break;
    ++n;
    if (tokens_[n] == "<")
      if (const auto close = match_angle(n); close && *close < last) n = *close + 1;
    if (tokens_[n] != "::") break;
  }
  return std::min(n, last);
}

std::size_t Source::type_end(std::size_t first, std::size_t last) const {
  bool has_type = false, is_fundamental = false;
  std::size_t n = first;
  while (n < last) {
    const Token& token = tokens_[n];
    if (attribute_[n]) {
      n = match_[n] + 1;
    } else if (is_one_of(token, with_parentheses) && tokens_[n + 1] == "(") {
      n = match_[n + 1] + 1;
    } else if (is_one_of(token, qualifiers)) {
      ++n;
    } else if (is_one_of(token, fundamental) && (!has_type || is_fundamental)) {
      has_type = is_fundamental = true;
      ++n;
    } else if (!has_type && is_one_of(token, type_operators) && tokens_[n + 1] == "(") {
      has_type = true;
      n = match_[n + 1] + 1;
      if (tokens_[n] == "::") n = name_end(n, last);
    } else if (!has_type && (is_identifier(n) || token == "::")) {
      has_type = !is_one_of(token, class_keys);
      n = has_type ? name_end(n, last) : n + 1;
    } else {
      break;
    }
  }
  return has_type ? n : first;
}

std::string Source::join(std::size_t first, std::size_t last) const {
  std::string result;
  std::size_t end = 0;
  for (std::size_t n = first; n < last; ++n) {
    if (attribute_[n]) continue;
    append(result, end, n);
  }
  return result;
}

std::string Source::join_without_address_spaces(std::size_t first, std::size_t last) const {
  std::string text;
  for (std::size_t n = first; n < last; ++n) {
    const bool is_constant = tokens_[n] == "constant" && !is_method_qualifier(n);
    if (attribute_[n] || (is_address_space(n) && !is_constant)) continue;
    const std::string_view word = is_constant ? "const" : tokens_[n].text;
    if (word == "const" && text.ends_with("const")) continue;  // `constant const`
    text.append(text.empty() ? "" : " ").append(word);
  }
  return text;
}

std::string Source::join(const Attribute& attribute) const {
  std::string result;
  std::size_t end = 0;
  for (std::size_t n = attribute.first; n < attribute.last; ++n) append(result, end, n);
  return result;
}

void Source::append(std::string& text, std::size_t& end, std::size_t token) const {
  const bool is_apart = end != 0 && tokens_[token].offset > end;
  text.append(is_apart ? " " : "").append(tokens_[token].text);
  end = tokens_[token].offset + tokens_[token].text.size();
}

std::size_t Source::find(std::size_t first, std::size_t last, std::string_view punctuators) const {
  for (std::size_t n = first; n < last; ++n) {
    const Token& token = tokens_[n];
    if (token.kind != TokenKind::punctuator) continue;
    if (attribute_[n] && !attribute_[first]) {
      n = match_[n];
      continue;
    }
    if (token.text.size() == 1 && punctuators.find(token.text[0]) != std::string_view::npos) return n;
    if (token == "(" || token == "[" || token == "{") n = match_[n];
  }
  return last;
}

}  // namespace assay::metal::emulator
