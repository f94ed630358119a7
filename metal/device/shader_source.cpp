#include "metal/device/shader_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "metal/device/line_marker.h"
#include "metal/device/line_scanner.h"
#include "metal/device/read_file.h"

namespace assay::metal {

namespace fs = std::filesystem;

namespace {

/// The name in #include "name"; empty if the line is none.
std::string_view included_name(std::string_view line) {
  auto scanner = after_directive(line, "include");
  if (!scanner) return {};
  scanner->take_blanks();
  if (!scanner->take("\"")) return {};
  const std::string_view name = scanner->take_while([](char letter) { return letter != '"'; });
  return scanner->rest().empty() ? std::string_view() : name;
}

bool is_pragma_once(std::string_view line) {
  auto scanner = after_directive(line, "pragma");
  const bool is_apart = scanner && !scanner->take_blanks().empty();
  if (!is_apart || !scanner->take("once")) return false;
  const char next = scanner->rest().empty() ? ' ' : scanner->rest().front();
  return std::isalnum(static_cast<unsigned char>(next)) == 0 && next != '_';
}

class Inliner {
 public:
  explicit Inliner(const std::vector<fs::path>& folders) : folders_(folders) {}

  std::string text_of(const fs::path& path, const std::string& text) {
    append_text(path, text);
    return std::move(result_);
  }

 private:
  static constexpr std::size_t most_open = 200;  ///< clang too includes no deeper

  bool is_too_long() const { return result_.size() > most_text_bytes; }

  void append_text(const fs::path& path, const std::string& text) {
    open_.push_back(path);
    result_ += mark(1, path);
    std::istringstream lines(text);
    std::string line;
    for (std::size_t number = 1; !is_too_long() && std::getline(lines, line); ++number) append_line(line, number, path);
    open_.pop_back();
  }

  static std::string mark(std::size_t line, const fs::path& path) {
    return fmt::format("#line {} \"{}\"\n", line, escaped_file(path.string()));
  }

  void append_line(const std::string& line, std::size_t number, const fs::path& path) {
    const std::string_view name = included_name(line);
    if (is_pragma_once(line)) {
      once_.insert(path);
      result_ += '\n';
    } else if (!name.empty()) {
      if (!append_included(found(path.parent_path(), std::string(name)))) result_ += line + '\n';
      result_ += mark(number + 1, path);
    } else {
      result_ += line + '\n';
    }
  }

  fs::path found(const fs::path& own_folder, const std::string& name) const {
    fs::path own = (own_folder / name).lexically_normal();
    std::error_code ignored;  // of names that are too long, and of links in a circle
    if (fs::exists(own, ignored)) return own;
    for (const fs::path& folder : folders_)
      if (fs::exists(folder / name, ignored)) return (folder / name).lexically_normal();
    return own;
  }

  /// Appends nothing if the file has #pragma once and was included before, or includes itself. False if there is no
  /// file to read.
  bool append_included(const fs::path& path) {
    if (open_.size() == most_open) return false;
    if (once_.contains(path) || std::ranges::find(open_, path) != open_.end()) return true;
    const Result<std::string> text = read_named_text(path);
    if (text) append_text(path, *text);
    return text.has_value();
  }

  const std::vector<fs::path>& folders_;
  std::vector<fs::path> open_;
  std::set<fs::path> once_;
  std::string result_;
};

}  // namespace

Result<std::string> text_with_includes(const fs::path& path, const std::vector<fs::path>& folders,
                                       const std::vector<fs::path>& linked) {
  Result<std::string> text = read_text(path);
  if (!text) return text;
  for (const fs::path& file : linked) *text += fmt::format("\n#include \"{}\"", file.string());
  Inliner inliner(folders);
  std::string whole = inliner.text_of(path.lexically_normal(), *text);
  if (whole.size() <= most_text_bytes) return whole;
  return error(Error::Kind::environment, fmt::format("{}: with the files that it includes it has more than {} MiB",
                                                     path.string(), most_text_bytes >> 20));
}

}  // namespace assay::metal
