// What the tests of linear cross-entropy's gate share: small cases that a hand can check, kernels that do as they are
// told, and properties by name.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "tests/validation/operations/samples.h"
#include "validation/cce/case.h"
#include "validation/cce/faults/faults.h"
#include "validation/cce/kernel.h"
#include "validation/cce/operation.h"

namespace assay::validation {

using StubCceKernel = Stub<CceOperation>;

/// What the plain kernel gives, then `spoil`: a fault in the results alone.
inline StubCceKernel spoiled(std::function<void(const metal::AnyCceOutput&)> spoil) {
  return StubCceKernel([spoil](const auto& problem, const auto& out, const CceRequest& request) {
    plain_cce_kernel()->run(problem, out, request);
    spoil(out);
  });
}

/// N=1, H=2, V=2, both logits 0, the second entry the target. By hand: p = 1/2, 1/2, loss = ln 2, dL/dz = 1/2, -1/2,
/// dhidden = 1, 0, dweight = 0, 1, 0, -1, dbias = 1/2, -1/2.
inline CceCase two_entries() {
  CceCase c;
  c.N = 1;
  c.H = 2;
  c.V = 2;
  c.hidden = {0, 2};
  c.weight = {3, 0, 1, 0};
  c.bias = {0, 0};
  c.targets = {1};
  return c;
}

/// N=3, H=2, V=4 with a bias; the token in the middle is ignored, and NaN.
inline CceCase three_tokens() {
  CceCase c;
  c.N = 3;
  c.H = 2;
  c.V = 4;
  c.hidden = {0.5F, -1, std::numeric_limits<float>::quiet_NaN(), 2, 1, 0.25F};
  c.weight = {1, 0.5F, -1, 0.5F, 0.25F, 1, 2, -2};
  c.bias = {0, 0.5F, -0.5F, 1};
  c.targets = {3, -100, 2};
  return c;
}

template <>
struct Samples<CceOperation> {
  static constexpr const char* line =
      "N=1 H=2 V=2 dtype=float32 ignore_index=-100 logit_softcap=0 label_smoothing=0 z_loss=0 reduction=none "
      "targets=1 upstream= hidden=0,2 weight=3,0,1,0 bias=0,0";
  static CceCase small() { return two_entries(); }
  static CceCase smallest() {
    CceCase c;
    c.weight = {0};
    return c;
  }
  static bool is_smallest(CceCase c) {
    c.ignore_index = -100;
    return c == smallest();
  }
  static constexpr int cases = 200;
  static constexpr int fault_cases = 200;
  static constexpr int metal_fault_cases = 200;
  static std::vector<std::string> kernels() { return {"plain"}; }
  static std::vector<std::string> names() { return {"cpu", "plain", "fault:mean-over-all-tokens"}; }
  /// Extents: N, H, V.
  static std::vector<SmallFault> small_faults() {
    return {{"rescaling-forgotten", {1, 2, 2}},     {"leading-minus-infinity", {1, 2, 2}},
            {"last-word-left-out", {1, 2, 3}},      {"upstream-of-first-token", {4, 2, 3}},
            {"mean-over-all-tokens", {2, 2, 2}},    {"ignored-times-zero", {1, 2, 2}},
            {"softcap-slope-forgotten", {1, 2, 2}}, {"one-word-refused", {1, 2, 1}},
            {"target-overwritten", {2, 2, 2}},      {"remainder-of-threads", {3, 2, 3}},
            {"z-loss-not-squared", {1, 2, 2}}};
  }
};

template <>
struct Commands<CceOperation> {
  /// One token of two vocabulary entries, the second its target, and a bias over one of them.
  static constexpr const char* line =
      "N=1 H=1 V=2 dtype=float32 ignore_index=-100 logit_softcap=0 label_smoothing=0 z_loss=0 reduction=none targets=1 "
      "upstream= hidden=1 weight=0,1 bias=0,0.5";
  static constexpr const char *fault = "last-word-left-out", *property = "loss", *other = "ctc";
  static constexpr Spoiled spoiled[] = {
      {"targets=1", "targets=2", "targets"}, {"hidden=1", "hidden=nan", "hidden"},
      {"weight=0,1", "weight=0", "weight"},  {"bias=0,0.5", "bias=-inf,-inf", "bias"},
      {"z_loss=0", "z_loss=-1", "z_loss"},   {"dtype=float32", "dtype=float8", "dtype=float8"},
      {"V=2", "V=2 blank=0", "'blank='"}};
  static constexpr const char *filter = "softcap-", *killed = "softcap-infinite +killed +[0-9]+  softcap-off",
                              *count = "5 of 5 faults killed, 0 by another property than the one meant";

  static CceCase batch() { return CceOperation::sized_case(5, 3, 40, 1, Dtype::bfloat16, 1); }
  static constexpr const char *batch_fault = "last-word-left-out", *batch_property = "loss";
  static void spoil(CceCase& c) { c.targets[0] = 40; }
  static constexpr const char* complaint = "batch.npz: targets[n=0] = 40: expected an index in [0, V=40)";
};

inline CceCase generated_cce(std::uint64_t seed, const CceProfile& profile = {}) {
  return generated<CceOperation>(seed, profile);
}

inline const CceProperty& cce_property_named(const std::string& name) {
  return named(CceOperation::properties(), name);
}

inline const CceFault& cce_fault_named(const std::string& name) {
  return named(CceOperation::faults(), name);
}

inline PropertyReport cce_report(const CceKernel& kernel, const std::string& property, int cases) {
  return report_on<CceOperation>(kernel, property, cases);
}

}  // namespace assay::validation
