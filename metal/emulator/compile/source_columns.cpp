#include "metal/emulator/compile/source_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "metal/device/line_marker.h"
#include "metal/device/line_scanner.h"
#include "metal/device/read_file.h"
#include "metal/emulator/translate/lexer.h"

namespace assay::metal::emulator {

namespace {

/// The text with blanks in place of comments.
std::string without_comments(std::string text) {
  const auto blank = [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin)
      if (text[begin] != '\n') text[begin] = ' ';
    return end;
  };
  const auto after = [&](std::string_view what, std::size_t from) {
    const std::size_t found = text.find(what, from);
    return found == std::string::npos ? text.size() : found + what.size();
  };
  for (std::size_t n = 0; n < text.size();) {
    const std::string_view rest = std::string_view(text).substr(n);
    const bool is_separator = rest[0] == '\'' && n > 0 && text[n - 1] >= '0' && text[n - 1] <= '9';
    if (rest.starts_with("//")) {
      n = blank(n, std::min(text.find('\n', n), text.size()));
    } else if (rest.starts_with("/*")) {
      n = blank(n, after("*/", n + 2));
    } else if ((rest[0] == '"' || rest[0] == '\'') && !is_separator) {
      const char quote = rest[0];
      for (++n; n < text.size() && text[n] != quote && text[n] != '\n'; ++n) n += text[n] == '\\' ? 1U : 0U;
      ++n;
    } else {
      ++n;
    }
  }
  return text;
}

/// The lines of source files, without comments.
class SourceFiles {
 public:
  void add(const std::string& name, std::string_view text) {
    const std::string code = without_comments(std::string(text));
    std::vector<std::string>& lines = files_[name];
    for (std::size_t begin = 0; begin <= code.size();) {
      const std::size_t end = std::min(code.find('\n', begin), code.size());
      lines.emplace_back(without_carriage_return(std::string_view(code).substr(begin, end - begin)));
      begin = end + 1;
    }
  }

  /// Line `number`, from 1 on; empty if it is not there or is continued on the next one.
  std::string_view line(const std::string& name, std::size_t number) {
    if (!files_.contains(name)) add(name, read_named_text(name).value_or(""));
    const std::vector<std::string>& lines = files_[name];
    if (number == 0 || number > lines.size() || lines[number - 1].ends_with('\\')) return {};
    return lines[number - 1];
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

/// Which token of a preprocessed line is which of the source's line.
class Alignment {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  Alignment(const std::vector<Token>& source, const std::vector<Token>& tokens)
      : source_(source), tokens_(tokens), place_(tokens.size() - 1, none), is_taken_(source.size() - 1) {
    std::size_t first = 0, source_end = is_taken_.size(), end = place_.size();
    while (first < std::min(source_end, end) && take(first, first)) ++first;
    while (first < std::min(source_end, end) && take(source_end - 1, end - 1)) --source_end, --end;
    take_words(first, source_end, end);
  }

  /// The place of a token, if it is known: its own, or that of the macro whose expansion begins with it.
  std::optional<TextPlace> place(std::size_t token) const {
    if (place_[token] != none) return source_[place_[token]].place;
    if (token > 0 && place_[token - 1] == none) return std::nullopt;
    const std::size_t macro = token == 0 ? 0 : place_[token - 1] + 1;
    if (macro >= is_taken_.size() || is_taken_[macro]) return std::nullopt;
    return source_[macro].place;
  }

 private:
  bool take(std::size_t in_source, std::size_t token) {
    if (source_[in_source].text != tokens_[token].text) return false;
    place_[token] = in_source;
    return is_taken_[in_source] = true;
  }

  /// Between two macros: words that occur once in either part, in order, and the tokens beside them.
  void take_words(std::size_t first, std::size_t source_end, std::size_t end) {
    const auto words_of = [first](const std::vector<Token>& line, std::size_t last) {
      std::map<std::string_view, std::vector<std::size_t>> words;
      for (std::size_t n = first; n < last; ++n)
        if (line[n].kind != TokenKind::punctuator) words[line[n].text].push_back(n);
      return words;
    };
    const auto in_source = words_of(source_, source_end), in_tokens = words_of(tokens_, end);
    std::size_t next = first;
    for (std::size_t token = first; token < end; ++token) {
      const auto word = in_source.find(tokens_[token].text), same = in_tokens.find(tokens_[token].text);
      const bool is_once =
          word != in_source.end() && word->second.size() == 1 && same->second.size() == 1 && word->second[0] >= next;
      if (!is_once) continue;
      std::size_t at = word->second[0];
      for (std::size_t back = 0; at > next + back && token > first + back && place_[token - back - 1] == none; ++back)
        if (!take(at - back - 1, token - back - 1)) break;
      while (at < source_end && token < end && take(at, token)) ++at, ++token;
      next = at;
      --token;
    }
  }

  const std::vector<Token>& source_;
  const std::vector<Token>& tokens_;
  std::vector<std::size_t> place_;
  std::vector<bool> is_taken_;
};

/// Where a line of the preprocessed text is from.
struct LineOrigin {
  std::string file;
  std::size_t number = 1;

  std::string marker(std::size_t ahead = 0) const {
    return fmt::format("\n# {} \"{}\"\n", number + ahead, escaped_file(file));
  }
};

/// A line with the columns of the source, of which it may be several lines.
std::string aligned(std::string_view line, std::string_view source_text, const LineOrigin& origin) {
  const std::vector<Token> source = lex(source_text), tokens = lex(line);
  const Alignment alignment(source, tokens);
  std::string result;
  std::size_t line_start = 0, done = 0, ahead = 0;
  for (std::size_t n = 0; n + 1 < tokens.size(); ++n) {
    const Token& token = tokens[n];
    const std::string_view gap = line.substr(done, token.offset - done);
    const TextPlace here{{},
                         static_cast<std::uint32_t>(ahead + 1),
                         static_cast<std::uint32_t>(result.size() - line_start + gap.size() + 1)};
    // && and >> are two tokens here.
    const bool is_one =
        n > 0 && gap.empty() && token.kind == TokenKind::punctuator && tokens[n - 1].kind == TokenKind::punctuator;
    const TextPlace wanted = is_one ? here : alignment.place(n).value_or(here);
    if (wanted.line != here.line || wanted.column < here.column) {
      ahead = wanted.line - 1;
      result += origin.marker(ahead);
      line_start = result.size();
      result.append(wanted.column - 1, ' ');
    } else {
      result.append(gap).append(wanted.column - here.column, ' ');
    }
    result.append(token.text);
    done = token.offset + token.text.size();
  }
  if (ahead != 0) result += origin.marker(1), result.pop_back();
  return result;
}

/// Line `origin` of the source. If a macro's parentheses end on a later line, that too: the preprocessor gives empty
/// lines for these, and the rest of the text, from `next` on, begins with them.
std::string source_lines(SourceFiles& files, LineOrigin origin, std::string_view rest) {
  std::string text(files.line(origin.file, origin.number));
  const auto is_open = [&] { return std::ranges::count(text, '(') > std::ranges::count(text, ')'); };
  for (; is_open() && rest.starts_with('\n'); rest.remove_prefix(1))
    text.append("\n").append(files.line(origin.file, ++origin.number));
  return text;
}

}  // namespace

std::string with_columns_of_source(std::string_view preprocessed, const std::filesystem::path& name,
                                   std::string_view source) {
  SourceFiles files;
  files.add(name.string(), source);
  std::string result;
  LineOrigin origin;
  bool is_system = false;
  for (std::size_t begin = 0; begin < preprocessed.size(); ++origin.number) {
    const std::size_t end = std::min(preprocessed.find('\n', begin), preprocessed.size());
    const std::string_view line = preprocessed.substr(begin, end - begin);
    begin = end + 1;
    if (const auto marker = line_marker(line)) {
      origin = {marker->file(), marker->line - 1};
      is_system = marker->is_of_system_header();
    }
    const bool is_known = !is_system && !origin.file.empty() && !line.empty() && !line.starts_with('#');
    const std::string_view of_source = is_known ? files.line(origin.file, origin.number) : "";
    const bool is_same = of_source.empty() || of_source.starts_with(line);
    const std::string_view rest = preprocessed.substr(std::min(begin, preprocessed.size()));
    result.append(is_same ? line : aligned(line, source_lines(files, origin, rest), origin)).append("\n");
  }
  return result;
}

}  // namespace assay::metal::emulator
