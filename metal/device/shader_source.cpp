#include "metal/device/shader_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "metal/device/read_file.h"

namespace assay::metal {

namespace fs = std::filesystem;

namespace {

class Inliner {
 public:
  explicit Inliner(const std::vector<fs::path>& folders) : folders_(folders) {}

  std::string text_of(const fs::path& path, const std::string& text) {
    open_.push_back(path);
    std::string result = mark(1, path);
    std::istringstream lines(text);
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); ++number) append_line(result, line, number, path);
    open_.pop_back();
    return result;
  }

 private:
  static std::string mark(std::size_t line, const fs::path& path) {
    return fmt::format("#line {} \"{}\"\n", line, path.string());
  }

  void append_line(std::string& result, const std::string& line, std::size_t number, const fs::path& path) {
    static const std::regex include("^[ \t]*#[ \t]*include[ \t]*\"([^\"]+)\".*"),
        once("^[ \t]*#[ \t]*pragma[ \t]+once\\b.*");
    std::smatch match;
    if (std::regex_match(line, once)) {
      once_.insert(path);
      result += '\n';
    } else if (std::regex_match(line, match, include)) {
      result += included(found(path.parent_path(), match[1].str())).value_or(line + '\n');
      result += mark(number + 1, path);
    } else {
      result += line + '\n';
    }
  }

  fs::path found(const fs::path& own_folder, const std::string& name) const {
    fs::path own = (own_folder / name).lexically_normal();
    if (fs::exists(own)) return own;
    for (const fs::path& folder : folders_)
      if (fs::exists(folder / name)) return (folder / name).lexically_normal();
    return own;
  }

  /// The text of an included file; empty if the file has #pragma once and was included before, or includes itself.
  std::optional<std::string> included(const fs::path& path) {
    if (once_.contains(path) || std::ranges::find(open_, path) != open_.end()) return "";
    const Result<std::string> text = read_file(path);
    if (!text) return std::nullopt;
    return text_of(path, *text);
  }

  const std::vector<fs::path>& folders_;
  std::vector<fs::path> open_;
  std::set<fs::path> once_;
};

}  // namespace

Result<std::string> text_with_includes(const fs::path& path, const std::vector<fs::path>& folders) {
  const Result<std::string> text = read_file(path);
  if (!text) return error(Error::Kind::environment, fmt::format("{}: there is no such file to read", path.string()));
  return Inliner(folders).text_of(path.lexically_normal(), *text);
}

}  // namespace assay::metal
