// The CTC loss and its gradient with respect to the activations (metal/cpu/ctc/loss.h), on NumPy arrays.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "metal/cpu/ctc/any.h"
#include "metal/cpu/ctc/loss.h"
#include "validation/python/kernels/arrays.h"
#include "validation/python/kernels/ctc_problem.h"

namespace assay::python {
namespace {

namespace py = pybind11;
using metal::AnyCtcOutput;
using metal::AnyCtcProblem;
using reference::CtcProblem;

/// The kernel takes the upstream gradient in the type of the activations, where it may overflow (a loss scaled by 2^16
/// in float16) or lose digits.
bool upstream_is_exact(const AnyCtcProblem& any) {
  return std::visit(
      [&]<class Given>(const Given&) {
        using Real = std::remove_const_t<typename Given::element_type>;
        return std::ranges::all_of(any.options.upstream, [](float value) {
          const auto stored = static_cast<float>(static_cast<Real>(value));
          return stored == value;
        });
      },
      any.activations);
}

/// As the kernel, with inputs and gradient converted from and to 16 bits outside of it.
void ctc_loss_in_float32(const AnyCtcProblem& any, const AnyCtcOutput& out, int threads) {
  std::visit(
      [&]<class Given>(const Given& activations) {
        using Real = std::remove_const_t<typename Given::element_type>;
        const std::vector<float> wide(activations.begin(), activations.end());
        const auto gradient = metal::typed<std::span<Real>>("gradient", out.gradient, "activations");
        std::vector<float> wide_gradient(gradient.size());
        CtcProblem<float> problem = any.options;
        problem.activations = wide;
        metal::ctc_loss(problem, {out.loss, wide_gradient}, {.threads = threads});
        std::ranges::transform(wide_gradient, gradient.begin(), [](float x) { return metal::rounded<Real>(x); });
      },
      any.activations);
}

void ctc_loss(const py::buffer& activations, const std::string& dtype, const py::buffer& targets,
              const py::buffer& input_lengths, const py::buffer& target_lengths, const py::buffer& upstream,
              std::int64_t blank, bool logits, const std::string& reduction, bool zero_infinity, const py::buffer& loss,
              const py::buffer& gradient, int threads) {
  AnyCtcProblem any;
  any.activations = typed_elements<decltype(any.activations)>("activations", activations, dtype);
  any.options = ctc_problem(shape_of<3>("activations", activations), {targets, input_lengths, target_lengths, upstream,
                                                                      blank, logits, reduction, zero_infinity});
  AnyCtcOutput out;
  out.loss = elements<float>("loss", loss);
  out.gradient = typed_elements<decltype(out.gradient)>("gradient", gradient, dtype);

  const Computing computing;
  if (!upstream_is_exact(any)) return ctc_loss_in_float32(any, out, threads);
  metal::with_types(
      any, out, [&](const auto& typed, const auto& output) { metal::ctc_loss(typed, output, {.threads = threads}); });
}

}  // namespace

void add_ctc_kernel(py::module_& kernels) {
  kernels.def("ctc_loss", &ctc_loss, "Writes loss and, unless it is empty, gradient.");
}

}  // namespace assay::python
