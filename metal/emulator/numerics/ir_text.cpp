#include "metal/emulator/numerics/ir_text.h"

#include <algorithm>
#include <array>

namespace assay::metal::emulator::ir {

namespace {

constexpr auto none = std::string_view::npos;

/// The end of the quoted text that begins at `at`.
std::size_t after_quotes(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('"', at + 1);
  return end == none ? text.size() : end + 1;
}

/// Calls visit(position, letter, depth) for each letter outside of quotes, until visit returns true.
template <class Visit>
std::size_t find_outside(std::string_view text, const Visit& visit) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == '"') {
      at = after_quotes(text, at) - 1;
      continue;
    }
    if (letter == ')' || letter == '>' || letter == ']' || letter == '}') --depth;
    if (visit(at, letter, depth)) return at;
    if (letter == '(' || letter == '<' || letter == '[' || letter == '{') ++depth;
  }
  return none;
}

std::size_t end_of_name(std::string_view text, std::size_t at) {
  if (at + 1 < text.size() && text[at + 1] == '"') return after_quotes(text, at + 1);
  const std::size_t end = text.find_first_of(" ,()", at);
  return end == none ? text.size() : end;
}

/// The type with which the text begins.
std::string_view leading_type(std::string_view text) {
  const std::size_t end = find_outside(text, [](std::size_t, char c, int depth) { return c == ' ' && depth == 0; });
  return text.substr(0, end);
}

/// The type with which the text ends.
std::string_view trailing_type(std::string_view text) {
  std::size_t start = 0;
  find_outside(text, [&](std::size_t at, char c, int depth) {
    if (c == ' ' && depth == 0) start = at + 1;
    return false;
  });
  return text.substr(start);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == none) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<Instruction> instruction(std::string_view line) {
  if (!line.starts_with("  ") || line.starts_with("    ")) return std::nullopt;
  line.remove_prefix(2);
  Instruction read;
  if (line.starts_with('%')) {
    const std::size_t end = end_of_name(line, 0);
    if (!line.substr(end).starts_with(" = ")) return std::nullopt;
    read.result = line.substr(0, end);
    line.remove_prefix(end + 3);
  }
  const std::size_t metadata =
      find_outside(line, [&](std::size_t at, char c, int) { return c == ',' && line.substr(at).starts_with(", !"); });
  if (metadata != none) {
    read.metadata = line.substr(metadata);
    if (const std::size_t debug = read.metadata.find("!dbg "); debug != none) {
      read.debug = read.metadata.substr(debug + 5);
      read.debug = read.debug.substr(0, read.debug.find(','));
    }
    line = line.substr(0, metadata);
  }
  const std::size_t space = line.find(' ');
  read.opcode = line.substr(0, space);
  if (space != none) read.operands = trimmed(line.substr(space));
  return read;
}

Value value(std::string_view text) {
  text = trimmed(text);
  Value read;
  read.type = leading_type(text);
  const std::string_view rest = trimmed(text.substr(read.type.size()));
  read.name = trailing_type(rest);
  read.attributes = trimmed(rest.substr(0, rest.size() - read.name.size()));
  return read;
}

std::vector<std::string_view> parts(std::string_view text) {
  std::vector<std::string_view> all;
  std::size_t start = 0;
  find_outside(text, [&](std::size_t at, char c, int depth) {
    if (c == ',' && depth == 0) all.push_back(trimmed(text.substr(start, at - start))), start = at + 1;
    return false;
  });
  if (!trimmed(text.substr(start)).empty()) all.push_back(trimmed(text.substr(start)));
  return all;
}

std::optional<Call> call(std::string_view text) {
  const std::size_t at = find_outside(text, [&](std::size_t position, char c, int depth) {
    return depth == 0 && (c == '@' || c == '%') && position > 0 && text[position - 1] == ' ' &&
           text.substr(end_of_name(text, position)).starts_with('(');
  });
  if (at == none) return std::nullopt;
  Call read;
  const std::size_t end = end_of_name(text, at);
  if (text[at] == '@') read.callee = text.substr(at, end - at);
  read.type = trailing_type(trimmed(text.substr(0, at)));
  const std::string_view rest = text.substr(end + 1);
  const std::size_t close = find_outside(rest, [](std::size_t, char c, int depth) { return c == ')' && depth < 0; });
  for (const std::string_view part : parts(rest.substr(0, close))) read.arguments.push_back(value(part));
  return read;
}

std::string_view without_flags(std::string_view text) {
  static constexpr std::array flags = {"fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"};
  for (;;) {
    text = trimmed(text);
    const std::string_view word = text.substr(0, text.find(' '));
    if (std::ranges::find(flags, word) == flags.end()) return text;
    text.remove_prefix(word.size());
  }
}

std::string derived_name(std::string_view name, std::string_view suffix) {
  name.remove_prefix(1);
  if (name.starts_with('"')) name = name.substr(1, name.size() - 2);
  std::string derived = "%\"";
  derived.append(name).append(".").append(suffix).append("\"");
  return derived;
}

bool is_floating(std::string_view type) {
  return type == "float" || type == "half" || type == "bfloat" || type == "double" || type == "x86_fp80";
}

}  // namespace assay::metal::emulator::ir
