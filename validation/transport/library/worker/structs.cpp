#include "validation/transport/library/worker/structs.h"

#include <span>
#include <stdexcept>
#include <utility>

namespace assay::validation::transport {
namespace {

class Named {
 public:
  explicit Named(std::span<const assay_array> arrays) : arrays_(arrays) {}

  /// Names, each with the member that it goes into.
  template <class Value, class... Rest>
  void options(const char* name, Value& option, Rest&&... rest) const {
    const assay_array& one = called(name);
    option = one.dtype == ASSAY_FLOAT64 ? static_cast<Value>(*static_cast<const double*>(one.data))
                                        : static_cast<Value>(*static_cast<const std::int64_t*>(one.data));
    if constexpr (sizeof...(rest) > 0) options(std::forward<Rest>(rest)...);
  }

  template <class Element>
  void array(const char* name, Element*& array, std::int64_t& size) const {
    const assay_array& one = called(name);
    array = static_cast<Element*>(one.data);
    size = 1;
    for (std::int32_t axis = 0; axis < one.dimensions; ++axis) size *= one.shape[axis];
  }

 private:
  const assay_array& called(const char* name) const {
    const assay_array* const one = assay_array_called(name, arrays_.data(), arrays_.size());
    if (one == nullptr) throw std::logic_error(std::string("the call has no ") + name);
    return *one;
  }

  std::span<const assay_array> arrays_;
};

void fill(const Named& in, const Named& out, assay_ctc_problem& p, assay_ctc_output& o) {
  in.options("T", p.T, "B", p.B, "C", p.C, "S", p.S, "blank", p.blank, "dtype", p.dtype, "input", p.input, "variable",
             p.variable, "layout", p.layout, "reduction", p.reduction, "zero_infinity", p.zero_infinity, "threads",
             p.threads);
  in.array("activations", p.activations, p.activations_size);
  in.array("targets", p.targets, p.targets_size);
  in.array("input_lengths", p.input_lengths, p.input_lengths_size);
  in.array("target_lengths", p.target_lengths, p.target_lengths_size);
  in.array("upstream", p.upstream, p.upstream_size);
  out.array("loss", o.loss, o.loss_size);
  out.array("gradient", o.gradient, o.gradient_size);
}

void fill(const Named& in, const Named& out, assay_cce_problem& p, assay_cce_output& o) {
  in.options("N", p.N, "H", p.H, "V", p.V, "ignore_index", p.ignore_index, "logit_softcap", p.logit_softcap,
             "label_smoothing", p.label_smoothing, "z_loss", p.z_loss, "dtype", p.dtype, "reduction", p.reduction,
             "threads", p.threads);
  in.array("hidden", p.hidden, p.hidden_size);
  in.array("weight", p.weight, p.weight_size);
  in.array("bias", p.bias, p.bias_size);
  in.array("targets", p.targets, p.targets_size);
  in.array("upstream", p.upstream, p.upstream_size);
  out.array("loss", o.loss, o.loss_size);
  out.array("dhidden", o.dhidden, o.dhidden_size);
  out.array("dweight", o.dweight, o.dweight_size);
  out.array("dbias", o.dbias, o.dbias_size);
}

void fill(const Named& in, const Named& out, assay_svd_problem& p, assay_svd_output& o) {
  in.options("B", p.B, "M", p.M, "N", p.N, "dtype", p.dtype, "threads", p.threads);
  in.array("A", p.A, p.A_size);
  out.array("U", o.U, o.U_size);
  out.array("S", o.S, o.S_size);
  out.array("Vh", o.Vh, o.Vh_size);
}

template <class Problem, class Output>
std::function<assay_formula_run> filling(const DeclarationStart& kernel) {
  return [kernel](const char*, const assay_array* inputs, std::size_t input_count, const assay_array* outputs,
                  std::size_t output_count, char* message, std::size_t size) {
    Problem problem{};
    Output output{};
    problem.header = {sizeof problem, ASSAY_PLUGIN_VERSION};
    output.header = {sizeof output, ASSAY_PLUGIN_VERSION};
    fill(Named({inputs, input_count}), Named({outputs, output_count}), problem, output);
    return kernel.run(&problem, &output, message, size);
  };
}

}  // namespace

std::function<assay_formula_run> with_structs(const std::string& operation, const DeclarationStart& kernel) {
  if (operation == "ctc") return filling<assay_ctc_problem, assay_ctc_output>(kernel);
  if (operation == "cce") return filling<assay_cce_problem, assay_cce_output>(kernel);
  if (operation == "svd") return filling<assay_svd_problem, assay_svd_output>(kernel);
  return {};
}

}  // namespace assay::validation::transport
