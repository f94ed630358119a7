#include "validation/core/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "validation/core/parse.h"
#include "validation/core/printable.h"
#include "validation/core/refuse.h"

namespace assay::validation {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// The beginning of a text from a possibly hostile file.
std::string excerpt(std::string_view text) {
  return printable_line(text.substr(0, 40)) + (text.size() > 40 ? "..." : "");
}

bool is_known_type(char kind, std::uint64_t width) {
  const bool power_of_two = width == 1 || width == 2 || width == 4 || width == 8;
  switch (kind) {
    case 'f':
      return power_of_two && width != 1;
    case 'i':
    case 'u':
      return power_of_two;
    case 'b':
      return width == 1;
    case 'V':
      return width == 1 || width == 2;
    case 'U':
      return width > 0 && width < 1 << 20;
    default:
      return false;
  }
}

/// The header's text: a Python dict literal with exactly the keys descr, fortran_order and shape.
class HeaderText {
 public:
  explicit HeaderText(std::string_view text) : rest_(text) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      entry();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_spaces();
    if (!rest_.empty()) refuse("header: '{}' after the dict: expected spaces", excerpt(rest_));
    for (const auto& [seen, key] : {std::pair{descr_, "descr"}, {fortran_order_, "fortran_order"}, {shape_, "shape"}})
      if (!seen) refuse("header: no key '{}': expected descr, fortran_order and shape", key);
    return header_;
  }

 private:
  void entry() {
    const std::string_view key = quoted();
    expect(':');
    if (key == "descr" && !std::exchange(descr_, true)) return descr();
    if (key == "fortran_order" && !std::exchange(fortran_order_, true)) return fortran_order();
    if (key == "shape" && !std::exchange(shape_, true)) return shape();
    refuse("header: key '{}': expected descr, fortran_order and shape, each once", excerpt(key));
  }

  /// Byte order, kind, width: '<f4'. Object types get their own message, because loading one would run code.
  void descr() {
    skip_spaces();
    if (rest_.starts_with('[')) refuse("dtype with fields: expected plain numbers or text");
    const std::string_view text = quoted();
    if (text.find('O') != text.npos)
      refuse("dtype object ('{}'): expected plain numbers or text; a pickle is a program and is not run",
             excerpt(text));
    const auto stated = text.size() < 3 ? std::nullopt : parse_number<std::uint64_t>(text.substr(2));
    const std::uint64_t width = stated.value_or(0);
    if (!stated || text.find_first_of("<>|") != 0 || !is_known_type(text[1], width) ||
        (text[0] == '|' && width > 1 && text[1] != 'V'))
      refuse(
          "dtype '{}': expected float16, float32, float64, an integer of 8 to 64 bits, bool, unicode, or V2, as "
          "ml_dtypes saves bfloat16",
          excerpt(text));
    header_.big_endian = text[0] == '>';
    header_.kind = text[1];
    header_.item_size = static_cast<std::size_t>(text[1] == 'U' ? 4 * width : width);
  }

  void fortran_order() {
    skip_spaces();
    header_.fortran_order = rest_.starts_with("True");
    if (!header_.fortran_order && !rest_.starts_with("False"))
      refuse("header: fortran_order = '{}': expected True or False", excerpt(rest_));
    rest_.remove_prefix(header_.fortran_order ? 4 : 5);
  }

  void shape() {
    expect('(');
    while (!accept(')')) {
      if (header_.shape.size() == 32) refuse("header: a shape of more than 32 axes");
      header_.shape.push_back(extent());
      if (accept(',')) continue;
      expect(')');
      if (header_.shape.size() == 1) refuse("header: shape ({}): expected a tuple", header_.shape[0]);
      break;
    }
  }

  std::int64_t extent() {
    skip_spaces();
    const std::string_view digits = rest_.substr(0, rest_.find_first_not_of("0123456789"));
    const auto value = parse_number<std::int64_t>(digits);  // digits have no sign
    if (!value) refuse("header: shape: '{}': expected an extent in [0, 2^63)", excerpt(rest_));
    rest_.remove_prefix(digits.size());
    return *value;
  }

  std::string_view quoted() {
    skip_spaces();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"'))
      refuse("header: '{}': expected a quoted text", excerpt(rest_));
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == rest_.npos) refuse("header: {}: expected a closing quote", excerpt(rest_));
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  bool accept(char c) {
    skip_spaces();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) refuse("header: '{}': expected '{}'", excerpt(rest_), c);
  }

  std::string_view rest_;
  NpyHeader header_;
  bool descr_ = false, fortran_order_ = false, shape_ = false;
};

/// The number of bytes of an array by its header. Refuses a number that does not fit in 63 bits.
std::uint64_t byte_count(const NpyHeader& header) {
  std::uint64_t bytes = header.item_size;
  bool empty = false;
  for (const std::int64_t extent : header.shape) {
    const auto n = static_cast<std::uint64_t>(extent);
    empty |= n == 0;
    if (n != 0 && bytes > std::uint64_t{std::numeric_limits<std::int64_t>::max()} / n)
      refuse("{}: expected a shape whose product fits in 63 bits", header.summary());
    bytes *= std::max<std::uint64_t>(n, 1);
  }
  return empty ? 0 : bytes;
}

}  // namespace

std::uint64_t load_unsigned(std::string_view bytes, bool big_endian) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[big_endian ? i : bytes.size() - 1 - i]);
  return value;
}

std::size_t NpyHeader::size() const {
  std::size_t product = 1;
  for (const std::int64_t extent : shape) product *= static_cast<std::size_t>(extent);
  return product;
}

std::string NpyHeader::dtype() const {
  if (kind == 'b') return "bool";
  if (kind == 'V') return fmt::format("V{}", item_size);
  if (kind == 'U') return fmt::format("{}U{}", big_endian ? '>' : '<', item_size / 4);
  if (big_endian && item_size > 1) return fmt::format(">{}{}", kind, item_size);
  return fmt::format("{}{}", kind == 'f' ? "float" : kind == 'i' ? "int" : "uint", 8 * item_size);
}

std::string NpyHeader::summary() const {
  return fmt::format("{} [{}]", dtype(), fmt::join(shape, ", "));
}

NpyHeader parse_npy_header(std::string_view beginning, std::uint64_t file_size) {
  if (!beginning.starts_with(magic) || beginning.size() < 10) refuse("not a .npy file: expected \\x93NUMPY first");
  const int version = static_cast<unsigned char>(beginning[6]);
  if (version < 1 || version > 3 || beginning[7] != 0)
    refuse("format {}.{}: expected 1.0, 2.0 or 3.0", version, int{static_cast<unsigned char>(beginning[7])});
  const std::size_t width = version == 1 ? 2 : 4;
  if (beginning.size() < 8 + width) refuse("{} bytes: expected a header", beginning.size());
  const std::uint64_t length = load_unsigned(beginning.substr(8, width), false);
  const std::uint64_t offset = 8 + width + length;
  if (offset > npy_header_limit) refuse("header of {} bytes: expected at most 10000", length);
  if (offset > beginning.size()) refuse("header of {} bytes: expected it within the file's {}", length, file_size);
  NpyHeader header = HeaderText(beginning.substr(8 + width, length)).parse();
  header.data_offset = static_cast<std::size_t>(offset);
  const std::uint64_t bytes = byte_count(header);
  if (bytes != file_size - offset)
    refuse("{}: expected {} bytes of elements, found {}", header.summary(), bytes, file_size - offset);
  return header;
}

}  // namespace assay::validation
