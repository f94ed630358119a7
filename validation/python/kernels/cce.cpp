// Linear cross-entropy and its gradients (metal/cpu/cce/loss.h), on NumPy arrays. An empty gradient is not wanted.
#include <utility>

#include "metal/cpu/cce/any.h"
#include "metal/cpu/cce/loss.h"
#include "reference/cce/options.h"
#include "validation/python/kernels/arrays.h"
#include "validation/python/kernels/options.h"

namespace assay::python {
namespace {

namespace py = pybind11;
using metal::AnyCceOutput;
using metal::AnyCceProblem;
using metal::AnyInput;
using metal::AnyOutput;

/// A problem, and the arrays that it is in.
class CceCall {
 public:
  CceCall(py::buffer hidden, py::buffer weight, py::buffer bias, py::buffer targets, py::buffer upstream,
          std::string dtype, const py::dict& given)
      : hidden_(std::move(hidden)),
        weight_(std::move(weight)),
        bias_(std::move(bias)),
        targets_(std::move(targets)),
        upstream_(std::move(upstream)),
        dtype_(std::move(dtype)) {
    any_.hidden = typed_elements<AnyInput>("hidden", hidden_, dtype_);
    any_.weight = typed_elements<AnyInput>("weight", weight_, dtype_);
    any_.bias = typed_elements<AnyInput>("bias", bias_, dtype_);
    auto& options = any_.options;
    options.N = shape_of<2>("hidden", hidden_)[0];
    options.H = shape_of<2>("hidden", hidden_)[1];
    options.V = shape_of<2>("weight", weight_)[0];
    options.targets = integers("targets", targets_);
    options.upstream = elements<const float>("upstream", upstream_);
    set_options(options, given);
  }

  void loss(const py::buffer& loss, const py::buffer& dhidden, const py::buffer& dweight, const py::buffer& dbias,
            int threads) const {
    AnyCceOutput out = gradients(dhidden, dweight, dbias);
    out.loss = elements<float>("loss", loss);
    const Computing computing;
    metal::with_types(any_, out, [&](const auto& problem, const auto& typed) {
      metal::cce_loss(problem, typed, {.threads = threads});
    });
  }

  void forward(const py::buffer& loss, const py::buffer& log_sum_exp, int threads) const {
    const AnyCceOutput out = {.loss = elements<float>("loss", loss), .dhidden = {}, .dweight = {}, .dbias = {}};
    const auto lse = elements<double>("log_sum_exp", log_sum_exp);
    const Computing computing;
    metal::with_types(any_, out, [&](const auto& problem, const auto& typed) {
      metal::cce_forward(problem, typed.loss, lse, {.threads = threads});
    });
  }

  void backward(const py::buffer& log_sum_exp, const py::buffer& dhidden, const py::buffer& dweight,
                const py::buffer& dbias, int threads) const {
    const AnyCceOutput out = gradients(dhidden, dweight, dbias);
    const auto lse = elements<const double>("log_sum_exp", log_sum_exp);
    const Computing computing;
    metal::with_types(any_, out, [&](const auto& problem, const auto& typed) {
      metal::cce_backward(problem, lse, typed.gradients, {.threads = threads});
    });
  }

 private:
  AnyCceOutput gradients(const py::buffer& dhidden, const py::buffer& dweight, const py::buffer& dbias) const {
    return {.loss = {},
            .dhidden = typed_elements<AnyOutput>("dhidden", dhidden, dtype_),
            .dweight = typed_elements<AnyOutput>("dweight", dweight, dtype_),
            .dbias = typed_elements<AnyOutput>("dbias", dbias, dtype_)};
  }

  py::buffer hidden_, weight_, bias_, targets_, upstream_;
  std::string dtype_;
  AnyCceProblem any_;
};

}  // namespace

void add_cce_kernel(py::module_& kernels) {
  py::class_<CceCall>(kernels, "CceCall", "A problem of linear cross-entropy, and the arrays that it is in.")
      .def(py::init<py::buffer, py::buffer, py::buffer, py::buffer, py::buffer, std::string, const py::dict&>())
      .def("loss", &CceCall::loss, "Writes loss and gradients in one pass.")
      .def("forward", &CceCall::forward, "Writes loss and, for backward, the log-sum-exp of each token.")
      .def("backward", &CceCall::backward, "Writes gradients; computes the logits again.");
}

}  // namespace assay::python
