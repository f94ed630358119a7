#include "metal/device/read_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace assay::metal {

Result<std::string> read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::error_code ignored;
  const bool is_file = !std::filesystem::is_directory(file, ignored);
  if (!stream || !is_file)
    return error(Error::Kind::environment,
                 fmt::format("cannot read '{}': {}", file.string(), is_file ? std::strerror(errno) : "it is a folder"));
  const std::uintmax_t size = std::filesystem::file_size(file, ignored);
  std::string text(ignored ? 0 : size, '\0');  // of a pipe, and in /proc, the size is not known
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  text.append(std::istreambuf_iterator(stream), {});
  return text;
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
