// Reads a line from left to right. A line may have any length: no regular expression is asked, since those of the
// standard library call themselves for each letter and exhaust the stack.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace assay::metal {

class LineScanner {
 public:
  explicit LineScanner(std::string_view line) : rest_(line) {}

  std::string_view rest() const { return rest_; }

  /// Whether the word comes next; if so, it is read.
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  /// Reads letters as long as they are of a kind.
  template <class Is>
  std::string_view take_while(const Is& is) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is);
    return take_first(static_cast<std::size_t>(end - rest_.begin()));
  }

  std::string_view take_digits() {
    return take_while([](char letter) { return letter >= '0' && letter <= '9'; });
  }
  std::string_view take_blanks() {
    return take_while([](char letter) { return letter == ' ' || letter == '\t'; });
  }

  std::string_view take_first(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }

 private:
  std::string_view rest_;
};

/// The rest of the line after `#` and the word; nothing if the line is no such directive.
inline std::optional<LineScanner> after_directive(std::string_view line, std::string_view word) {
  LineScanner scanner(line);
  scanner.take_blanks();
  if (!scanner.take("#")) return std::nullopt;
  scanner.take_blanks();
  if (!scanner.take(word)) return std::nullopt;
  return scanner;
}

inline bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

/// The line without the carriage return of a text from Windows.
inline std::string_view without_carriage_return(std::string_view line) {
  return line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0));
}

}  // namespace assay::metal
