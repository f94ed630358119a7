// Changes to preprocessed text that keep the line and column of every other token. Removed text leaves blanks. A
// replacement that is longer than the old text is followed by a line marker that restores the place of the next token.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "metal/emulator/translate/lexer.h"

namespace assay::metal::emulator {

class Edits {
 public:
  Edits(std::string_view text, const std::vector<Token>& tokens) : text_(text), tokens_(tokens) {}

  /// Replaces tokens [first, last). A later edit inside of an earlier one has no effect.
  void replace(std::size_t first, std::size_t last, std::string replacement);
  void erase(std::size_t first, std::size_t last) { replace(first, last, {}); }
  /// Inserts text before the token.
  void insert(std::size_t token, std::string_view text);

  std::string apply() const;

 private:
  struct Edit {
    std::size_t last;
    std::string text;
    std::string before;  ///< inserted in front of it
  };

  std::size_t end_of(std::size_t token) const;
  /// Appends the edited text to `result`. Returns the offset at which the unedited text continues.
  std::size_t apply_one(std::size_t first, const Edit& edit, std::string& result) const;

  std::string_view text_;
  const std::vector<Token>& tokens_;
  std::map<std::size_t, Edit> edits_;  // by the first token
};

}  // namespace assay::metal::emulator
