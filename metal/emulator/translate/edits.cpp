#include "metal/emulator/translate/edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::metal::emulator {

namespace {

/// A line marker and blanks after which, to the compiler, the text continues at `place`.
std::string move_to(const TextPlace& place) {
  return fmt::format("\n# {} \"{}\"\n{}", place.line, place.file, std::string(place.column - 1, ' '));
}

/// `old` with blanks for all characters but newlines and line markers, and with `text` at its begin.
std::string blanked(std::string_view old, std::string_view text) {
  std::string result(old);
  bool in_marker = false;
  for (std::size_t n = 0; n < result.size(); ++n) {
    if (n > 0 && result[n - 1] == '\n') in_marker = result[n] == '#';
    if (result[n] != '\n' && !in_marker) result[n] = ' ';
  }
  return result.replace(0, text.size(), text);
}

}  // namespace

void Edits::replace(std::size_t first, std::size_t last, std::string replacement) {
  Edit& edit = edits_.try_emplace(first).first->second;
  edit.last = last;
  edit.text = std::move(replacement);
}

void Edits::insert(std::size_t token, std::string_view text) {
  edits_.try_emplace(token, Edit{token, {}, {}}).first->second.before += text;
}

std::size_t Edits::end_of(std::size_t token) const {
  return tokens_[token].offset + tokens_[token].text.size();
}

std::size_t Edits::apply_one(std::size_t first, const Edit& edit, std::string& result) const {
  const std::size_t begin = tokens_[first].offset, end = edit.last == first ? begin : end_of(edit.last - 1);
  const std::string_view old = text_.substr(begin, end - begin);
  if (edit.before.empty() && edit.text.size() <= std::min(old.find('\n'), old.size())) {
    result += blanked(old, edit.text);
    return end;
  }
  result += edit.before;
  result += edit.text;
  const Token& next = tokens_[edit.last];
  if (text_.substr(end, next.offset - end).find('\n') == std::string_view::npos) {
    result += move_to(next.place);
    return next.offset;
  }
  const TextPlace& last = tokens_[edit.last - 1].place;
  result += fmt::format("\n# {} \"{}\"\n", last.line, last.file);
  return end;
}

std::string Edits::apply() const {
  std::string result;
  result.reserve(text_.size() + text_.size() / 4);
  std::size_t copied = 0;
  for (const auto& [first, edit] : edits_) {
    const std::size_t begin = tokens_[first].offset;
    if (begin < copied) continue;
    result += text_.substr(copied, begin - copied);
    copied = apply_one(first, edit, result);
  }
  return result.append(text_.substr(copied));
}

}  // namespace assay::metal::emulator
