// The arrays that CTC offers to shaders besides those of its table: the activations as `logits` or `log_probs`, and the
// offset of each row's targets.
#pragma once

#include <string>
#include <vector>

#include "validation/ctc/fields.h"

namespace assay::validation {

struct MetalScalar;
struct ShaderArrayOffer;
struct ShaderDocument;
namespace transport {
class MetalCall;
}

struct CtcShaderArrays {
  static void add_to_interface(std::vector<ShaderArrayOffer>& arrays);
  static void add_to_call(const metal::AnyCtcProblem& problem, transport::MetalCall& call);

  /// Padding may hold any 64-bit number; clamps numbers that do not fit in the shader's type.
  template <class Element>
  static void convert(const std::string& array, const metal::AnyCtcProblem& problem, std::vector<Element>& values,
                      const MetalScalar& type) {
    if constexpr (std::is_same_v<Element, std::int64_t>)
      if (array == "targets") clamp_padding(problem.options, values, type);
  }

  /// Throws std::invalid_argument if the binding has only logits or only log_probs but the kernel claims to do both.
  static void expect_binding(const ShaderDocument& binding, const Support& support);

 private:
  static void clamp_padding(const CtcProblem<float>& problem, std::vector<std::int64_t>& targets,
                            const MetalScalar& type);
};

}  // namespace assay::validation
