#include "validation/transport/metal/scalar.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "metal/cpu/half.h"
#include "validation/shader/scalar.h"

namespace assay::validation::transport {
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

template <class T>
constexpr MetalScalar scalar(std::string_view name) {
  if constexpr (std::is_integral_v<T>)
    return {name,         sizeof(T), false,  static_cast<double>(std::numeric_limits<T>::lowest()),
            largest<T>(), store<T>,  load<T>};
  else
    return {name, sizeof(T), true, 0, 0, store<T>, load<T>};
}

constexpr std::array scalars = {
    scalar<float>("float"),        scalar<Half>("half"),
    scalar<BFloat16>("bfloat"),    scalar<bool>("bool"),
    scalar<std::int8_t>("char"),   scalar<std::uint8_t>("uchar"),
    scalar<std::int16_t>("short"), scalar<std::uint16_t>("ushort"),
    scalar<std::int32_t>("int"),   scalar<std::uint32_t>("uint"),
    scalar<std::int64_t>("long"),  scalar<std::uint64_t>("ulong"),
};

}  // namespace

const MetalScalar* find_metal_scalar(std::string_view name) {
  for (const MetalScalar& one : scalars)
    if (one.name == name) return &one;
  return nullptr;
}

std::string metal_scalar_names() {
  std::string names;
  for (const MetalScalar& one : scalars) names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
  return names;
}

const MetalScalar* scalar_of_element(std::string_view element_type) {
  try {
    return find_metal_scalar(metal_type(element_type).scalar);
  } catch (const std::invalid_argument&) {
    return nullptr;
  }
}

bool holds(const MetalScalar& type, double value) {
  if (type.is_floating) return true;
  return value == std::trunc(value) && value >= type.lowest && value <= type.highest;
}

}  // namespace assay::validation::transport
