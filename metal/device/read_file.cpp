#include "metal/device/read_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <system_error>

namespace assay::metal {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
constexpr std::size_t most_of_unknown_size = std::size_t{256} << 20;

/// All of the stream; more than `most` bytes only if there are more.
std::string read_up_to(std::istream& stream, std::uintmax_t size, std::size_t most) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::string text(static_cast<std::size_t>(std::min<std::uintmax_t>(size, most)), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  std::size_t got = static_cast<std::size_t>(stream.gcount());
  while (stream && got <= most) {  // of a pipe, and in /proc, the size is not known
    text.resize(got + piece);
    stream.read(text.data() + got, piece);
    got += static_cast<std::size_t>(stream.gcount());
  }
  text.resize(got);
  return text;
}

Result<std::string> read_at_most(const std::filesystem::path& file, std::size_t most) {
  std::ifstream stream(file, std::ios::binary);
  std::error_code ignored;
  const bool is_file = !std::filesystem::is_directory(file, ignored);
  if (!stream || !is_file)
    return error(Error::Kind::environment,
                 fmt::format("cannot read '{}': {}", file.string(), is_file ? std::strerror(errno) : "it is a folder"));
  const std::uintmax_t size = std::filesystem::file_size(file, ignored);
  const std::size_t known = ignored ? 0 : static_cast<std::size_t>(size);
  const std::size_t limit = std::min(most, known + most_of_unknown_size);
  std::string text = read_up_to(stream, known, limit);
  if (text.size() <= limit) return text;
  return error(
      Error::Kind::environment,
      limit == most
          ? fmt::format("cannot read '{}': it has more than {} MiB, expected a text", file.string(), most >> 20)
          : fmt::format("cannot read '{}': more than {} MiB come, and no end: expected a file that ends", file.string(),
                        most_of_unknown_size >> 20));
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& file) {
  return read_at_most(file, no_limit);
}

Result<std::string> read_text(const std::filesystem::path& file) {
  auto text = read_at_most(file, most_text_bytes);
  if (text && (text->starts_with("\xFF\xFE") || text->starts_with("\xFE\xFF")))
    return error(Error::Kind::environment,
                 fmt::format("cannot read '{}': it is in UTF-16, expected a text in UTF-8", file.string()));
  if (text) text->erase(0, text->size() - without_byte_order_mark(*text).size());
  return text;
}

Result<std::string> read_named_text(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
    return error(Error::Kind::environment, fmt::format("cannot read '{}': it is no regular file", file.string()));
  return read_text(file);
}

Result<std::vector<std::string>> read_named_lines(const std::filesystem::path& file) {
  const Result<std::string> text = read_named_text(file);
  if (!text) return tl::unexpected(text.error());
  std::istringstream stream(*text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

}  // namespace assay::metal
