// One problem for a shader: dimensions by name, and arrays in the shader's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "validation/transport/metal/binding.h"
#include "validation/transport/metal/scalar.h"

namespace assay::validation::transport {

struct MetalCallArray {
  std::uint64_t bytes = 0;
  std::vector<std::byte> contents;                        ///< of an input
  std::function<void(std::span<const std::byte>)> fetch;  ///< of an output: takes what the shader left
};

class MetalCall {
 public:
  explicit MetalCall(const MetalBinding& binding) : binding_(binding) {}

  template <class Number>
  void set(const std::string& variable, Number value) {
    variables_[variable] = static_cast<double>(value);
  }

  /// Adds the values, converted to the binding's type, if the binding uses the array. A floating-point type rounds;
  /// throws std::invalid_argument for a value that does not fit in an integer type.
  template <class Real>
  void input(const std::string& name, std::span<const Real> values) {
    if (!binding_.uses(name)) return;
    const MetalScalar& type = *find_metal_scalar(binding_.types.at(name));
    std::vector<std::byte> contents(values.size() * type.bytes);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = static_cast<double>(values[i]);
      if (!holds(type, value)) refuse(name, i, value, type);
      type.store(value, contents.data() + i * type.bytes);
    }
    arrays_[name] = {contents.size(), std::move(contents), {}};
  }

  /// Adds an output of `elements`. `to` receives those that the shader has written; `to` is empty for unwanted results.
  template <class Real>
  void output(const std::string& name, std::uint64_t elements, std::span<Real> to) {
    const MetalScalar& type = *find_metal_scalar(binding_.types.at(name));
    const auto fetch = [to, &type](std::span<const std::byte> contents) {
      for (std::size_t i = 0; i < to.size() && (i + 1) * type.bytes <= contents.size(); ++i)
        if (const std::byte* const from = contents.data() + i * type.bytes; !is_poison(type, from))
          to[i] = static_cast<Real>(type.load(from));
    };
    arrays_[name] = {elements * type.bytes, {}, fetch};
  }

  const MetalVariables& variables() const { return variables_; }
  const std::map<std::string, MetalCallArray>& arrays() const { return arrays_; }

  /// Fills an output before the shader runs, with quiet NaNs that no arithmetic produces.
  static void poison(std::span<std::byte> contents);
  static bool is_poison(const MetalScalar& type, const std::byte* element);

 private:
  [[noreturn]] void refuse(const std::string& name, std::size_t index, double value, const MetalScalar& type) const;

  const MetalBinding& binding_;
  MetalVariables variables_;
  std::map<std::string, MetalCallArray> arrays_;
};

}  // namespace assay::validation::transport
