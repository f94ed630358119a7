#include "validation/shader/scalar.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "metal/cpu/half.h"
#include "validation/core/parse.h"

namespace assay::validation {

namespace {

using metal::BFloat16;
using metal::Half;

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

template <class T>
T parsed(std::string_view text) {
  const auto value = parse_number<T>(text);
  if (!value) throw std::invalid_argument(fmt::format("'{}': expected a number that fits", text));
  return *value;
}

template <class T>
std::vector<std::byte> from_text(const std::string& text) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text != "true" && text != "false" && text != "1" && text != "0")
      throw std::invalid_argument(fmt::format("'{}': expected true or false", text));
    return bytes_of(text == "true" || text == "1");
  } else if constexpr (std::is_integral_v<T> || std::is_same_v<T, float>) {
    return bytes_of(parsed<T>(text));
  } else {
    return bytes_of(T(parsed<double>(text)));
  }
}

template <class T>
std::vector<std::byte> from_values(std::span<const double> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = static_cast<T>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

struct Scalar {
  std::string_view name;
  std::string_view numpy;
  std::size_t bytes;
  bool floating;
  std::vector<std::byte> (*from_text)(const std::string&);
  std::vector<std::byte> (*from_values)(std::span<const double>);
};

template <class T>
constexpr Scalar scalar(std::string_view name, std::string_view numpy) {
  return {name, numpy, sizeof(T), !std::is_integral_v<T>, from_text<T>, from_values<T>};
}

constexpr std::array scalars = {
    scalar<float>("float", "float32"),         scalar<Half>("half", "float16"),
    scalar<BFloat16>("bfloat", "bfloat16"),    scalar<bool>("bool", "bool"),
    scalar<std::int8_t>("char", "int8"),       scalar<std::uint8_t>("uchar", "uint8"),
    scalar<std::int16_t>("short", "int16"),    scalar<std::uint16_t>("ushort", "uint16"),
    scalar<std::int32_t>("int", "int32"),      scalar<std::uint32_t>("uint", "uint32"),
    scalar<std::int64_t>("long", "int64"),     scalar<std::uint64_t>("ulong", "uint64"),
    scalar<std::int8_t>("int8_t", "int8"),     scalar<std::uint8_t>("uint8_t", "uint8"),
    scalar<std::int16_t>("int16_t", "int16"),  scalar<std::uint16_t>("uint16_t", "uint16"),
    scalar<std::int32_t>("int32_t", "int32"),  scalar<std::uint32_t>("uint32_t", "uint32"),
    scalar<std::int64_t>("int64_t", "int64"),  scalar<std::uint64_t>("uint64_t", "uint64"),
    scalar<std::uint64_t>("size_t", "uint64"),
};

const Scalar* find(std::string_view name) {
  for (const Scalar& candidate : scalars)
    if (candidate.name == name) return &candidate;
  return nullptr;
}

const Scalar& expect(const std::string& name) {
  if (const Scalar* found = find(name)) return *found;
  throw std::invalid_argument(fmt::format("type {}: expected a scalar of Metal, for example float or uint", name));
}

}  // namespace

MetalType metal_type(std::string_view name) {
  std::string_view base = name;
  const bool packed = base.starts_with("packed_");
  if (packed) base.remove_prefix(std::strlen("packed_"));
  MetalType type;
  if (find(base) == nullptr && base.size() > 1 && base.back() >= '2' && base.back() <= '4') {
    type.components = static_cast<std::size_t>(base.back() - '0');
    base.remove_suffix(1);
  }
  if (find(base) == nullptr)
    throw std::invalid_argument(fmt::format("type {}: expected a scalar or a vector of Metal", name));
  type.scalar = base;
  type.size = type.components == 3 && !packed ? 4 : type.components;
  return type;
}

std::vector<std::byte> scalar_bytes(const std::string& scalar, const std::string& text) {
  return expect(scalar).from_text(text);
}

std::vector<std::byte> scalar_bytes(const std::string& scalar, std::span<const double> values) {
  return expect(scalar).from_values(values);
}

bool is_floating(const std::string& scalar) {
  return expect(scalar).floating;
}

std::size_t scalar_size(const std::string& scalar) {
  return expect(scalar).bytes;
}

std::string numpy_name(const std::string& scalar) {
  return std::string(expect(scalar).numpy);
}

std::string scalar_of_numpy(const std::string& name) {
  for (const Scalar& one : scalars)  // the first of a name is Metal's own word, before the aliases
    if (one.numpy == name) return std::string(one.name);
  throw std::invalid_argument(
      fmt::format("dtype '{}': expected bool, float16, bfloat16, float32 or an integer of 8 to 64 bits{}", name,
                  name == "float64" ? ": Metal has no double" : ""));
}

}  // namespace assay::validation
