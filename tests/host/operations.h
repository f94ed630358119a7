// The three operations, for tests of what all hosts have in common.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "metal/host/cce/cce.h"
#include "metal/host/svd/svd.h"
#include "tests/host/device_batch.h"
#include "tests/kernels/cce/case.h"
#include "tests/kernels/svd/case.h"
#include "tests/refusal.h"

namespace assay::metal::test {

using host::KernelPath;
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

struct CtcOperation {
  using Host = CtcLoss;
  using Options = CtcOptions;
  using Case = Batch;
  template <class Real>
  using Inputs = TypedCtc<Real>;
  template <class Real>
  using Results = CtcResults<Real>;
  static constexpr auto cpu = [](const auto& problem, const auto& output) { ctc_loss(problem, output); };

  static Batch small_case() {
    Batch batch(4, 5, {{2, 1}, {3}});
    for (std::size_t i = 0; i < batch.activations.size(); ++i) batch.activations[i] = static_cast<float>(i % 7) * 0.5F;
    batch.options.reduction = Reduction::sum;
    return batch;
  }
  static CtcPlan prepare(const CtcLoss& host, const Batch& batch) {
    return host.prepare(TypedCtc<float>(batch).problem(), true).value();
  }
  static std::map<std::string, std::vector<float>> copied(const Batch& batch) {
    return {{"ctc activations", batch.activations}};
  }
  static std::string bfloat_kernel(KernelPath path) {
    return path == KernelPath::plain ? "ctc_plain_log_softmax_bfloat" : "ctc_emissions_bfloat";
  }
  /// A statement of the kernels that writes edited_value(), and one that writes 42 instead.
  static std::pair<std::string, std::string> edit() {
    return {"result[0] = isfinite(plain) ? sum.high + 0.0f : plain;", "result[0] = 42.0f;"};
  }
  static float edited_value(const CtcResults<float>& results) { return results.loss[0]; }
  static std::vector<std::function<void(Batch&)>> invalid_problems() {
    return {[](Batch& batch) { batch.options.T = -1; },
            [](Batch& batch) { batch.options.blank = 5; },
            [](Batch& batch) { batch.input_lengths[1] = 5; },
            [](Batch& batch) { batch.targets[0] = 0; },
            [](Batch& batch) { batch.upstream = {1, 1, 1}; },
            [](Batch& batch) { batch.activations.pop_back(); },
            [](Batch& batch) { batch.at(2, 1, 3) = not_a_number; },
            [](Batch& batch) { batch.at(2, 1, 3) = INFINITY; }};
  }
  static std::vector<std::function<void(CtcResults<float>&)>> invalid_outputs() {
    return {[](auto& results) { results.loss.clear(); }, [](auto& results) { results.gradient.pop_back(); }};
  }
};

struct CceOperation {
  using Host = LinearCrossEntropy;
  using Options = CceOptions;
  using Case = CceCase;
  template <class Real>
  using Inputs = Typed<Real>;
  template <class Real>
  using Results = CceResults<Real>;
  static constexpr auto cpu = [](const auto& problem, const auto& output) { cce_loss(problem, output); };

  /// Four tokens, one of them ignored.
  static CceCase small_case() { return some_cce(4, 3, 7, true); }
  static CcePlan prepare(const LinearCrossEntropy& host, const CceCase& c) {
    return host.prepare(Typed<float>(c).problem(), {true, true, true, true}).value();
  }
  static std::map<std::string, std::vector<float>> copied(const CceCase& c) {
    return {{"cce weight", c.weight}, {"cce bias", c.bias}};
  }
  static std::string bfloat_kernel(KernelPath path) {
    return path == KernelPath::plain ? "cce_plain_forward_bfloat" : "cce_logits_bfloat";
  }
  static std::pair<std::string, std::string> edit() {
    return {"losses[i] = loss_of(state, parts, shape);", "losses[i] = 42.0f;"};
  }
  static float edited_value(const CceResults<float>& results) { return results.loss[0]; }
  static std::vector<std::function<void(CceCase&)>> invalid_problems() {
    return {[](CceCase& c) { c.N = -1; },
            [](CceCase& c) { c.targets[1] = 7; },
            [](CceCase& c) { c.targets[1] = -1; },
            [](CceCase& c) { c.upstream = {1.0F}; },
            [](CceCase& c) { c.hidden.pop_back(); },
            [](CceCase& c) { c.label_smoothing = 1.5; },
            [](CceCase& c) { c.weight[5] = not_a_number; },
            [](CceCase& c) { c.hidden[2] = INFINITY; },
            [](CceCase& c) { c.bias[0] = INFINITY; }};
  }
  static std::vector<std::function<void(CceResults<float>&)>> invalid_outputs() {
    return {[](auto& results) { results.loss.pop_back(); }, [](auto& results) { results.dhidden.pop_back(); },
            [](auto& results) { results.dweight.pop_back(); }, [](auto& results) { results.dbias.pop_back(); }};
  }
};

struct SvdOperation {
  using Host = Svd;
  using Options = SvdOptions;
  using Case = SvdCase;
  template <class Real>
  using Inputs = TypedSvd<Real>;
  template <class Real>
  using Results = SvdResults<Real>;
  static constexpr auto cpu = [](const auto& problem, const auto& output) { metal::svd(problem, output); };

  static SvdCase small_case() { return some_svd(4, 3); }
  static SvdPlan prepare(const Svd& host, const SvdCase& c) {
    return host.prepare(TypedSvd<float>(c).problem(), true).value();
  }
  static std::map<std::string, std::vector<float>> copied(const SvdCase& c) { return {{"svd matrices", c.A}}; }
  static std::string bfloat_kernel(KernelPath) { return "svd_load_bfloat"; }
  static std::pair<std::string, std::string> edit() {
    return {"values[rank] = scaled_bits(norms[j], -exponent);", "values[rank] = as_type<uint>(42.0f);"};
  }
  static float edited_value(const SvdResults<float>& results) { return results.S[0]; }
  static std::vector<std::function<void(SvdCase&)>> invalid_problems() {
    return {[](SvdCase& c) { c.B = -1; }, [](SvdCase& c) { c.M = -1; }, [](SvdCase& c) { c.A.pop_back(); },
            [](SvdCase& c) { c.A[4] = not_a_number; }, [](SvdCase& c) { c.A[1] = -INFINITY; }};
  }
  static std::vector<std::function<void(SvdResults<float>&)>> invalid_outputs() {
    return {[](auto& results) { results.S.pop_back(); }, [](auto& results) { results.U.pop_back(); },
            [](auto& results) { results.Vh.pop_back(); }, [](auto& results) { results.U.clear(); },
            [](auto& results) { results.Vh.clear(); }};
  }
};

using Operations = testing::Types<CtcOperation, CceOperation, SvdOperation>;

/// A call of an operation, with its arrays.
template <class Operation, class Real = float>
struct OperationCall {
  explicit OperationCall(const typename Operation::Case& c = Operation::small_case())
      : inputs(c), results(inputs.problem()) {}

  Result<void> on(const typename Operation::Host& host) { return host(inputs.problem(), results.spans()); }
  void on_cpu() { Operation::cpu(inputs.problem(), results.spans()); }

  typename Operation::template Inputs<Real> inputs;
  typename Operation::template Results<Real> results;
};

template <class Operation, class Real>
void expect_cpus_results(const typename Operation::Host& host) {
  OperationCall<Operation, Real> device, cpu;
  ASSERT_TRUE(device.on(host));
  cpu.on_cpu();
  EXPECT_EQ(device.results, cpu.results);
}

}  // namespace assay::metal::test
