#include "validation/shader/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "metal/device/read_file.h"
#include "validation/core/npy.h"
#include "validation/report/report_file.h"
#include "validation/shader/or_refuse.h"

namespace assay::validation {

namespace {

/// The type in an atomic: uint for "atomic_uint" and for "atomic<uint>".
std::string held_by(const std::string& element_type) {
  for (const std::string prefix : {"atomic_", "_atomic<", "atomic<"}) {
    if (!element_type.starts_with(prefix)) continue;
    const std::string rest = element_type.substr(prefix.size());
    return rest.substr(0, rest.find('>'));
  }
  return element_type;
}

bool is_of_bytes(const MetalType& type) {
  return scalar_size(type.scalar) == 1 && type.scalar != "bool";
}

/// The scalar type that the argument gives to the file's numbers.
std::string scalar_in_file(const metal::Argument& argument, const NpyHeader& header) {
  const MetalType type = element_of(argument);
  std::string scalar = scalar_of_numpy(header.dtype());
  if (argument.kind == metal::Argument::Kind::texture) return scalar;
  if (is_of_bytes(type) || numpy_name(type.scalar) == header.dtype()) return scalar;
  if (type.scalar == "bfloat" && header.dtype() == "uint16") return type.scalar;
  throw std::invalid_argument(fmt::format("{}: expected numbers of type {}", header.summary(),
                                          type.scalar == "bfloat" ? "uint16, the bits" : numpy_name(type.scalar)));
}

struct NpyFile {
  NpyHeader header;
  std::string text;
};

NpyFile parsed(const std::filesystem::path& path) {
  std::string text = or_refuse(metal::read_file(path));
  const NpyHeader header = parse_npy_header(text, text.size());
  if (header.big_endian) throw std::invalid_argument(fmt::format("{}: expected little endian", header.summary()));
  if (header.fortran_order && header.shape.size() > 1)
    throw std::invalid_argument(
        fmt::format("{} in Fortran order: expected C order, the last index fastest", header.summary()));
  if (header.size() == 0)
    throw std::invalid_argument(fmt::format("{}: expected at least one number", header.summary()));
  return {header, std::move(text)};
}

void expect_whole_elements(const metal::Argument& argument, const NpyHeader& header) {
  if (argument.kind == metal::Argument::Kind::texture) return;
  const std::uint64_t length = header.size() * header.item_size;
  if (argument.element_size != 0 && length % argument.element_size != 0)
    throw std::invalid_argument(fmt::format("{}, {} bytes: expected a multiple of {} bytes, which one {} takes",
                                            header.summary(), length, argument.element_size, argument.element_type));
  const MetalType type = element_of(argument);
  if (type.components == 3 && type.size == 4 && header.shape.back() % 4 != 0)
    throw std::invalid_argument(
        fmt::format("{}: expected a last axis of 4, because {} has the size of four numbers and packed_{} of three",
                    header.summary(), argument.element_type, argument.element_type));
}

ShaderArray with_elements(std::string scalar, const NpyFile& file) {
  const auto bytes = std::as_bytes(std::span(file.text)).subspan(file.header.data_offset);
  return {std::move(scalar), file.header.shape, std::vector<std::byte>(bytes.begin(), bytes.end())};
}

}  // namespace

std::uint64_t ShaderArray::length() const {
  std::uint64_t product = scalar_size(scalar);
  for (const std::int64_t extent : shape) product *= static_cast<std::uint64_t>(extent);
  return product;
}

std::string ShaderArray::summary() const {
  return fmt::format("{} [{}]", numpy_name(scalar), fmt::join(shape, ", "));
}

MetalType number_type(const metal::Argument& argument) {
  return metal_type(held_by(argument.element_type));
}

MetalType element_of(const metal::Argument& argument) {
  try {
    return number_type(argument);
  } catch (const std::invalid_argument&) {
    const std::size_t size = std::max<std::uint64_t>(argument.element_size, 1);
    return {"uchar", size, size};
  }
}

ShaderArray read_npy(const metal::Argument& argument, const std::filesystem::path& path) {
  const NpyFile file = parsed(path);
  const std::string scalar = scalar_in_file(argument, file.header);
  expect_whole_elements(argument, file.header);
  return with_elements(scalar, file);
}

ShaderArray read_npy(const ShaderArray& like, const std::filesystem::path& path) try {
  const NpyFile file = parsed(path);
  const std::string dtype = like.scalar == "bfloat" ? "uint16" : numpy_name(like.scalar);
  if (file.header.dtype() != dtype || file.header.shape != like.shape)
    throw std::invalid_argument(fmt::format("{}: expected {}", file.header.summary(), like.summary()));
  return with_elements(like.scalar, file);
} catch (const std::invalid_argument& problem) {
  throw std::invalid_argument(fmt::format("{}: {}", path.string(), problem.what()));
}

void write_npy(const ShaderArray& array, const std::filesystem::path& path) {
  NpyArray file;
  file.header.kind = array.scalar == "bfloat" ? 'u' : numpy_name(array.scalar)[0];
  file.header.item_size = scalar_size(array.scalar);
  file.header.shape = array.shape;
  file.bytes.assign(reinterpret_cast<const char*>(array.bytes->data()), array.bytes->size());
  write_atomically(path, format_npy(file));
}

}  // namespace assay::validation
