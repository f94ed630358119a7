// Changes to preprocessed text that keep every other token where it was: what is taken away leaves blanks, and what is
// longer than what it replaces is followed by a line marker that puts the next token back in its place.
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

  /// Tokens [first, last) become `replacement`. A later edit inside of an earlier one has no effect.
  void replace(std::size_t first, std::size_t last, std::string replacement);
  void erase(std::size_t first, std::size_t last) { replace(first, last, {}); }
  /// Before the token.
  void insert(std::size_t token, std::string_view text);

  std::string apply() const;

 private:
  struct Edit {
    std::size_t last;
    std::string text;
    std::string before;  ///< inserted
  };

  std::size_t end_of(std::size_t token) const;
  /// Appends the edit; returns the offset up to which the text is done with.
  std::size_t apply_one(std::size_t first, const Edit& edit, std::string& result) const;

  std::string_view text_;
  const std::vector<Token>& tokens_;
  std::map<std::size_t, Edit> edits_;  // by the first token
};

}  // namespace assay::metal::emulator
