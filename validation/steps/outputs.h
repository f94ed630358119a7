// y [T, C] as weights, from the logits or the outputs of a request.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "reference/ctc/softmax.h"
#include "reference/ctc/validate.h"
#include "reference/matrix.h"
#include "reference/number/traits.h"
#include "validation/steps/request.h"

namespace assay::validation::steps {

/// Whether the request gives y and not the logits. Refuses a request that gives both or neither.
inline bool has_outputs(const Json& request) {
  const bool outputs = request.contains("outputs");
  if (outputs == request.contains("logits")) reference::detail::refuse("logits, outputs: expected one of them");
  return outputs;
}

inline double output_of(const Json& value, const std::string& name) {
  const double x = real_of(value, name);
  const bool is_output = x >= 0 && std::isfinite(x);
  if (!is_output) reference::detail::refuse(name, " = ", value.dump(), ": expected a finite number of at least 0");
  return x;
}

/// y in a number type that has an exponential, or as logarithms in that type. If T >= 0, y must have T frames.
template <class Weight>
reference::Matrix<Weight> outputs_of(const Json& request) {
  using Scalar = typename reference::NumberTraits<Weight>::Scalar;
  if (has_outputs(request))
    return matrix_of<Weight>(request, "outputs", [](const Json& value, const std::string& name) {
      return reference::NumberTraits<Weight>::from_value(
          reference::NumberTraits<Scalar>::from_real(output_of(value, name)));
    });
  const auto logits = matrix_of<double>(request, "logits", &real_of);
  reference::Matrix<Weight> y(logits.rows(), logits.cols());
  for (std::int64_t t = 0; t < logits.rows(); ++t) {
    reference::detail::validate_frame<double>(logits.row(t), reference::CtcInput::logits, t, 0);
    reference::softmax<Weight, double>(logits.row(t), y.row(t));
  }
  return y;
}

/// y as fractions. Refuses logits, whose softmax is not a fraction.
inline reference::Matrix<reference::Rational> exact_outputs_of(const Json& request) {
  if (!has_outputs(request)) reference::detail::refuse("logits: expected outputs, for an exponential is no fraction");
  return matrix_of<reference::Rational>(request, "outputs", [](const Json& value, const std::string& name) {
    reference::Rational y = fraction_of(value, name);
    if (y < 0) reference::detail::refuse(name, " = ", value.dump(), ": expected a number of at least 0");
    return y;
  });
}

}  // namespace assay::validation::steps
