// What CTC offers to shaders beside the arrays of its table: the activations under the name of what they are, and where
// each row of the targets begins.
#pragma once

#include <string>
#include <vector>

#include "validation/ctc/fields.h"
#include "validation/transport/metal/binding.h"
#include "validation/transport/metal/call.h"

namespace assay::validation {

struct CtcShaderArrays {
  static void add_to_interface(std::vector<transport::MetalArrayOffer>& arrays);
  static void add_to_call(const metal::AnyCtcProblem& problem, transport::MetalCall& call);

  /// Padding may hold any number of 64 bits: what the shader's type does not hold is clamped, as a host would convert
  /// it.
  template <class Element>
  static void convert(const std::string& array, const metal::AnyCtcProblem& problem, std::vector<Element>& values,
                      const transport::MetalScalar& type) {
    if constexpr (std::is_same_v<Element, std::int64_t>)
      if (array == "targets") clamp_padding(problem.options, values, type);
  }

  /// Throws std::invalid_argument for a binding of logits, or of log_probs, whose kernel takes the others too.
  static void expect_binding(const transport::MetalBinding& binding, const Support& support);

 private:
  static void clamp_padding(const CtcProblem<float>& problem, std::vector<std::int64_t>& targets,
                            const transport::MetalScalar& type);
};

}  // namespace assay::validation
