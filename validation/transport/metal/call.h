// One problem for a shader: dimensions by name, and arrays in the shader's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "validation/shader/array.h"
#include "validation/shader/buffers.h"
#include "validation/shader/document.h"
#include "validation/shader/run.h"
#include "validation/shader/scalar.h"

namespace assay::validation::transport {

struct MetalCallArray {
  ShaderArray array;                          ///< with the contents of an input
  std::function<void(metal::Buffer&)> fetch;  ///< of an output: takes what the shader left
};

class MetalCall {
 public:
  explicit MetalCall(const ShaderDocument& document) : document_(document) {}

  template <class Number>
  void set(const std::string& variable, Number value) {
    variables_[variable] = static_cast<double>(value);
  }

  /// Adds the values, converted to the file's type, if a pass takes the array. A floating-point type rounds; throws
  /// std::invalid_argument for a value that does not fit in an integer type.
  template <class Real>
  void input(const std::string& name, std::span<const Real> values) {
    if (!document_.uses(name)) return;
    const MetalScalar& type = *find_scalar(document_.types.at(name));
    std::vector<std::byte> contents(values.size() * type.bytes);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = static_cast<double>(values[i]);
      if (!holds(type, value)) refuse(name, i, value, type);
      type.store(value, contents.data() + i * type.bytes);
    }
    arrays_[name].array = {std::string(type.name), {static_cast<std::int64_t>(values.size())}, std::move(contents)};
  }

  /// Adds an output of `elements`. `to` receives those that the shader has written; `to` is empty for unwanted results.
  template <class Real>
  void output(const std::string& name, std::uint64_t elements, std::span<Real> to) {
    const MetalScalar& type = *find_scalar(document_.types.at(name));
    const auto fetch = [to, &type](metal::Buffer& buffer) {
      for (std::size_t i = 0; i < to.size() && (i + 1) * type.bytes <= buffer.length(); ++i) {
        const std::byte* const from = buffer.contents() + i * type.bytes;
        if (is_poison(type, from)) continue;
        to[i] = static_cast<Real>(type.load(from));
        buffer.did_copy(&to[i], i * type.bytes, type.bytes);
      }
    };
    arrays_[name] = {{std::string(type.name), {static_cast<std::int64_t>(elements)}}, fetch};
  }

  /// Runs every pass on the device, then copies the outputs to the caller; once. Throws as MetalShader::run does, but
  /// std::invalid_argument for what is beyond the device's limits.
  void run(metal::Device& device, metal::Library& library);

 private:
  /// NaN in every type of up to 4 bytes, as no arithmetic produces it: outputs hold it before the shader runs.
  static bool is_poison(const MetalScalar& type, const std::byte* element);

  [[noreturn]] void refuse(const std::string& name, std::size_t index, double value, const MetalScalar& type) const;
  ShaderScript script(const std::vector<std::string>& kernels);
  void expect_inputs_kept(const ShaderOutcome& outcome, const ShaderBuffers& buffers) const;

  const ShaderDocument& document_;
  MetalVariables variables_;
  std::map<std::string, MetalCallArray> arrays_;
};

}  // namespace assay::validation::transport
