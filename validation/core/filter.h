// The regular expression that chooses properties by their names.
#pragma once

#include <fmt/format.h>

#include <regex>
#include <stdexcept>
#include <string>

namespace assay::validation {

class Filter {
 public:
  /// Throws std::invalid_argument for a text that is no regular expression, or a long one.
  explicit Filter(const std::string& text) try : text_(text), pattern_(of_fair_length(text), syntax) {
  } catch (const std::regex_error& error) {
    refuse(text, error);
  }

  /// Whether the expression is found in the name. Throws std::invalid_argument if the search takes too long.
  bool matches(const std::string& name) const try {
    return std::regex_search(name, pattern_);
  } catch (const std::regex_error& error) {
    refuse(text_, error);
  }

 private:
#ifdef __GLIBCXX__  // its usual search takes exponential time for (a*)*b; this one knows no back-references
  static constexpr auto syntax = std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
  static constexpr auto syntax = std::regex::ECMAScript;
#endif

  [[noreturn]] static void refuse(const std::string& text, const std::regex_error& error) {
    throw std::invalid_argument(fmt::format("filter = '{}': expected a regular expression ({})", text, error.what()));
  }

  /// A long text would exhaust the stack.
  static const std::string& of_fair_length(const std::string& text) {
    constexpr std::size_t most = 1000;
    if (text.size() <= most) return text;
    throw std::invalid_argument(
        fmt::format("filter = '{}...': expected a regular expression of at most {} characters, not {}",
                    text.substr(0, 40), most, text.size()));
  }

  std::string text_;
  std::regex pattern_;
};

}  // namespace assay::validation
