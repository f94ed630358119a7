#include "validation/shader/scalar.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "metal/cpu/half.h"
#include "validation/core/parse.h"

namespace assay::validation {

namespace {

using metal::BFloat16;
using metal::Half;

template <class T>
void store(double value, std::byte* to) {
  const auto stored = static_cast<T>(value);
  std::memcpy(to, &stored, sizeof(T));
}

template <class T>
double load(const std::byte* from) {
  T stored{};
  std::memcpy(&stored, from, sizeof(T));
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(stored);
  else
    return double{float{stored}};
}

/// The largest number of an integer type T that double holds exactly; matters for 64 bits.
template <class T>
constexpr double largest() {
  if constexpr (sizeof(T) < 8) return static_cast<double>(std::numeric_limits<T>::max());
  return std::is_signed_v<T> ? 0x1.fffffffffffffp62 : 0x1.fffffffffffffp63;
}

bool is_integer_within(double value, double lowest, double highest) {
  return value == std::trunc(value) && value >= lowest && value <= highest;
}

/// Nothing if the text is no number of the type.
template <class T>
std::optional<T> number_of(const std::string& text) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
  } else if constexpr (std::is_same_v<T, float>) {
    return parse_number<float>(text);
  } else if (const auto value = parse_number<double>(text)) {
    if constexpr (!std::is_integral_v<T>)
      return T(*value);
    else if (const auto whole = parse_number<T>(text))
      return whole;
    else if (is_integer_within(*value, static_cast<double>(std::numeric_limits<T>::lowest()), largest<T>()))
      return static_cast<T>(*value);
  }
  return std::nullopt;
}

template <class T>
std::vector<std::byte> bytes_of(const std::string& text) {
  const auto value = number_of<T>(text);
  if (!value)
    throw std::invalid_argument(
        fmt::format("'{}': expected {}", text, std::is_same_v<T, bool> ? "true or false" : "a number that fits"));
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &*value, sizeof(T));
  return bytes;
}

template <class T>
constexpr MetalScalar scalar(std::string_view name, std::string_view numpy) {
  if constexpr (std::is_integral_v<T>)
    return {name,         numpy,       sizeof(T), false,  static_cast<double>(std::numeric_limits<T>::lowest()),
            largest<T>(), bytes_of<T>, store<T>,  load<T>};
  else
    return {name, numpy, sizeof(T), true, 0, 0, bytes_of<T>, store<T>, load<T>};
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

const MetalScalar& expect_scalar(const std::string& name) {
  if (const MetalScalar* found = find_scalar(name)) return *found;
  throw std::invalid_argument(fmt::format("type {}: expected a scalar of Metal, for example float or uint", name));
}

}  // namespace

const MetalScalar* find_scalar(std::string_view name) {
  const auto* const found = std::ranges::find(scalars, name, &MetalScalar::name);
  return found == scalars.end() ? nullptr : found;
}

std::string scalar_names() {
  std::vector<std::string_view> names;
  for (const MetalScalar& one : scalars)
    if (!one.name.ends_with("_t")) names.push_back(one.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool holds(const MetalScalar& type, double value) {
  return type.is_floating || is_integer_within(value, type.lowest, type.highest);
}

MetalType metal_type(std::string_view name) {
  std::string_view base = name;
  const bool packed = base.starts_with("packed_");
  if (packed) base.remove_prefix(std::strlen("packed_"));
  MetalType type;
  if (find_scalar(base) == nullptr && base.size() > 1 && base.back() >= '2' && base.back() <= '4') {
    type.components = static_cast<std::size_t>(base.back() - '0');
    base.remove_suffix(1);
  }
  if (find_scalar(base) == nullptr)
    throw std::invalid_argument(fmt::format("type {}: expected a scalar or a vector of Metal", name));
  type.scalar = base;
  type.size = type.components == 3 && !packed ? 4 : type.components;
  return type;
}

const MetalScalar* scalar_of_element(std::string_view element_type) {
  try {
    return find_scalar(metal_type(element_type).scalar);
  } catch (const std::invalid_argument&) {
    return nullptr;
  }
}

std::vector<std::byte> scalar_bytes(const std::string& scalar, const std::string& text) {
  return expect_scalar(scalar).bytes_of(text);
}

std::vector<std::byte> scalar_bytes(const std::string& scalar, std::span<const double> values) {
  const MetalScalar& type = expect_scalar(scalar);
  std::vector<std::byte> bytes(values.size() * type.bytes);
  for (std::size_t i = 0; i < values.size(); ++i) type.store(values[i], bytes.data() + i * type.bytes);
  return bytes;
}

bool is_floating(const std::string& scalar) {
  return expect_scalar(scalar).is_floating;
}

std::size_t scalar_size(const std::string& scalar) {
  return expect_scalar(scalar).bytes;
}

std::string numpy_name(const std::string& scalar) {
  return std::string(expect_scalar(scalar).numpy);
}

std::string scalar_of_numpy(const std::string& name) {
  for (const MetalScalar& one : scalars)  // the first of a name is Metal's own word, before the aliases
    if (one.numpy == name) return std::string(one.name);
  throw std::invalid_argument(
      fmt::format("dtype '{}': expected bool, float16, bfloat16, float32 or an integer of 8 to 64 bits{}", name,
                  name == "float64" ? ": Metal has no double" : ""));
}

}  // namespace assay::validation
