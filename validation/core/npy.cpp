#include "validation/core/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "validation/core/refuse.h"

namespace assay::validation {
namespace {

void store(std::string& bytes, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
}

/// Calls `visit` with the bits of each element, in row-major order of its indices.
template <class Visit>
void visit_row_major(const NpyArray& array, const Visit& visit) {
  const NpyHeader& header = array.header;
  const std::size_t rank = header.shape.size();
  std::vector<std::size_t> stride(rank), index(rank, 0), extent(header.shape.begin(), header.shape.end());
  std::size_t step = header.item_size;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t axis = header.fortran_order ? i : rank - 1 - i;
    stride[axis] = step;
    step *= extent[axis];
  }
  const std::string_view bytes = array.bytes;
  std::size_t offset = 0;
  for (std::size_t n = header.size(); n > 0; --n) {
    visit(load_unsigned(bytes.substr(offset, header.item_size), header.big_endian));
    for (std::size_t axis = rank; axis-- > 0;) {
      offset += stride[axis];
      if (++index[axis] < extent[axis]) break;
      offset -= stride[axis] * extent[axis];
      index[axis] = 0;
    }
  }
}

/// IEEE 754 binary16, which float32 holds exactly.
float from_half(std::uint64_t bits) {
  const auto sign = static_cast<std::uint32_t>(bits >> 15) << 31;
  const auto exponent = static_cast<int>(bits >> 10 & 31);
  const auto fraction = static_cast<std::uint32_t>(bits & 1023);
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                        : std::ldexp(static_cast<float>(fraction | 1024), exponent - 25);
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

float from_double(double value, std::size_t position, std::size_t& rounded) {
  const auto nearest = static_cast<float>(value);
  if (std::isfinite(value) && !std::isfinite(nearest))
    refuse("element {} in row-major order = {}: expected a value within float32's range", position, value);
  if (std::isfinite(value) && static_cast<double>(nearest) != value) ++rounded;
  return nearest;
}

void expect_kinds(const NpyHeader& header, std::string_view kinds, std::string_view expected) {
  if (kinds.find(header.kind) == kinds.npos) refuse("{}: expected {}", header.summary(), expected);
}

/// What to do about a type that NumPy lacks; empty for others.
std::string hint_of(const NpyHeader& header) {
  if (header.kind == 'V' && header.item_size == 1)
    return "; are these float8? no operation takes them: store array.astype(numpy.float32)";
  if ((header.kind == 'V' || header.kind == 'u') && header.item_size == 2)
    return "; are these bfloat16? store dtype='bfloat16' beside them: numpy.savez(path, ..., dtype='bfloat16')";
  return "";
}

void expect_scalar(const NpyHeader& header) {
  if (!header.shape.empty()) refuse("{}: expected a scalar, of shape []", header.summary());
}

}  // namespace

NpyArray parse_npy(std::string_view file) {
  NpyHeader header = parse_npy_header(file, file.size());
  return {header, std::string(file.substr(header.data_offset))};
}

std::string format_npy(const NpyArray& array) {
  const NpyHeader& header = array.header;
  const char order = header.big_endian ? '>' : header.item_size == 1 ? '|' : '<';
  const std::size_t width = header.kind == 'U' ? header.item_size / 4 : header.item_size;
  std::string text = fmt::format("{{'descr': '{}{}{}', 'fortran_order': {}, 'shape': ({}{}), }}", order, header.kind,
                                 width, header.fortran_order ? "True" : "False", fmt::join(header.shape, ", "),
                                 header.shape.size() == 1 ? "," : "");
  text.append(63 - (10 + text.size()) % 64, ' ').push_back('\n');
  std::string file = "\x93NUMPY";
  file += {'\x01', '\x00'};
  store(file, text.size(), 2);
  file += text + array.bytes;
  parse_npy_header(file, file.size());
  return file;
}

NpyArray npy_from_bfloat16_bits(const NpyArray& array) {
  NpyArray wide{array.header, {}};
  wide.header.kind = 'f';
  wide.header.item_size = 4;
  for (std::size_t i = 0; i + 1 < array.bytes.size(); i += 2) {
    if (!wide.header.big_endian) wide.bytes += std::string_view("\0\0", 2);
    wide.bytes += std::string_view(array.bytes).substr(i, 2);
    if (wide.header.big_endian) wide.bytes += std::string_view("\0\0", 2);
  }
  return wide;
}

std::vector<float> npy_floats(const NpyArray& array, std::size_t& rounded) {
  const NpyHeader& header = array.header;
  expect_kinds(header, "f", "float16, float32 or float64" + hint_of(header));
  std::vector<float> out;
  out.reserve(header.size());
  visit_row_major(array, [&](std::uint64_t bits) {
    if (header.item_size == 2) return out.push_back(from_half(bits));
    if (header.item_size == 4) return out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    out.push_back(from_double(std::bit_cast<double>(bits), out.size(), rounded));
  });
  return out;
}

std::vector<double> npy_doubles(const NpyArray& array) {
  if (array.header.item_size < 8 || array.header.kind != 'f') {
    std::size_t unused = 0;
    const std::vector<float> narrow = npy_floats(array, unused);
    return {narrow.begin(), narrow.end()};
  }
  std::vector<double> out;
  out.reserve(array.header.size());
  visit_row_major(array, [&](std::uint64_t bits) { out.push_back(std::bit_cast<double>(bits)); });
  return out;
}

std::vector<std::int64_t> npy_integers(const NpyArray& array) {
  const NpyHeader& header = array.header;
  expect_kinds(header, "iu", "an integer type");
  const auto unused_bits = static_cast<int>(64 - 8 * header.item_size);
  std::vector<std::int64_t> out;
  out.reserve(header.size());
  visit_row_major(array, [&](std::uint64_t bits) {
    const auto extended = static_cast<std::int64_t>(bits << unused_bits) >> unused_bits;
    if (header.kind == 'i') return out.push_back(extended);
    if (bits >> 63 != 0) refuse("element {} = {}: expected at most 2^63 - 1", out.size(), bits);
    out.push_back(static_cast<std::int64_t>(bits));
  });
  return out;
}

std::string npy_text(const NpyArray& array) {
  expect_kinds(array.header, "U", "text (unicode)");
  expect_scalar(array.header);
  std::string out;
  for (std::size_t offset = 0; offset < array.bytes.size(); offset += 4) {
    const std::uint64_t character =
        load_unsigned(std::string_view(array.bytes).substr(offset, 4), array.header.big_endian);
    if (character > '~') refuse("character {} of a text: expected ASCII", character);
    out.push_back(static_cast<char>(character));
  }
  return out.substr(0, out.find_last_not_of('\0') + 1);
}

bool npy_flag(const NpyArray& array) {
  expect_kinds(array.header, "b", "bool");
  expect_scalar(array.header);
  return array.bytes[0] != 0;
}

double npy_number(const NpyArray& array) {
  expect_kinds(array.header, "fiu", "a number");
  expect_scalar(array.header);
  if (array.header.kind != 'f') return static_cast<double>(npy_integers(array)[0]);
  if (array.header.item_size < 8) {
    std::size_t unused = 0;
    return double{npy_floats(array, unused)[0]};
  }
  return std::bit_cast<double>(load_unsigned(array.bytes, array.header.big_endian));
}

NpyArray npy_array(const std::vector<float>& elements, std::vector<std::int64_t> shape) {
  NpyArray array{{'f', 4, false, false, std::move(shape)}, {}};
  for (const float element : elements) store(array.bytes, std::bit_cast<std::uint32_t>(element), 4);
  return array;
}

NpyArray npy_array(const std::vector<double>& elements, std::vector<std::int64_t> shape) {
  NpyArray array{{'f', 8, false, false, std::move(shape)}, {}};
  for (const double element : elements) store(array.bytes, std::bit_cast<std::uint64_t>(element), 8);
  return array;
}

NpyArray npy_array(const std::vector<std::int64_t>& elements, std::vector<std::int64_t> shape) {
  NpyArray array{{'i', 8, false, false, std::move(shape)}, {}};
  for (const std::int64_t element : elements) store(array.bytes, static_cast<std::uint64_t>(element), 8);
  return array;
}

NpyArray npy_text_array(std::string_view text) {
  NpyArray array{{'U', 4 * text.size(), false, false, {}}, {}};
  for (const char character : text) store(array.bytes, static_cast<unsigned char>(character), 4);
  return array;
}

NpyArray npy_flag_array(bool value) {
  return {{'b', 1, false, false, {}}, std::string(1, value ? '\1' : '\0')};
}

NpyArray npy_number_array(double value) {
  NpyArray array{{'f', 8, false, false, {}}, {}};
  store(array.bytes, std::bit_cast<std::uint64_t>(value), 8);
  return array;
}

}  // namespace assay::validation
