#include "metal/device/read_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace assay::metal {

Result<std::string> read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::error_code ignored;
  const bool is_file = !std::filesystem::is_directory(file, ignored);
  if (!stream || !is_file)
    return error(Error::Kind::environment,
                 fmt::format("cannot read '{}': {}", file.string(), is_file ? std::strerror(errno) : "it is a folder"));
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

Result<std::vector<std::string>> read_lines(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  std::istringstream stream(*text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace assay::metal
