#include "validation/pipe/declaration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace assay::validation {
namespace {

using nlohmann::json;

Dtype dtype_from(const std::string& name) {
  const auto& names = dtype_names();
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw std::invalid_argument(fmt::format("dtype '{}': expected one of {}", name, fmt::join(names, ", ")));
  return static_cast<Dtype>(found - names.begin());
}

/// An object whose keys are taken one by one; those that nobody took are refused.
class Fields {
 public:
  explicit Fields(const json& said) : said_(said) {}
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;
  ~Fields() = default;

  template <class Value>
  Fields& take(const char* key, Value& value) {
    taken_.insert(key);
    if (!said_.contains(key)) return *this;
    try {
      read(said_.at(key), value);
    } catch (const json::exception&) {
      throw std::invalid_argument(fmt::format("{} = {}: not what it should be", key, said_.at(key).dump()));
    }
    return *this;
  }

  void done() const {
    for (const auto& [key, value] : said_.items())
      if (!taken_.contains(key))
        throw std::invalid_argument(
            fmt::format("'{}' is nothing that a kernel says of itself: expected {}", key, fmt::join(taken_, ", ")));
  }

 private:
  template <class Value>
  static void read(const json& said, Value& value) {
    value = said.get<Value>();
  }
  static void read(const json& said, Dtype& value) { value = dtype_from(said.get<std::string>()); }
  static void read(const json& said, std::vector<Dtype>& values) {
    values.clear();
    for (const json& name : said) values.push_back(dtype_from(name.get<std::string>()));
  }
  static void read(const json& said, Arithmetic& value) {
    const auto name = said.get<std::string>();
    if (name != "probability" && name != "log_space")
      throw std::invalid_argument(fmt::format("arithmetic '{}': expected probability or log_space", name));
    value = name == "log_space" ? Arithmetic::log_space : Arithmetic::probability;
  }

  const json& said_;
  std::set<std::string> taken_;
};

const json& support_of(const json& said) {
  static const json nothing = json::object();
  return said.contains("support") ? said.at("support") : nothing;
}

/// The keys that all operations share, and whatever `support` is read apart.
Fields& take_common(Fields& fields, std::string& name, double& unit_roundoff) {
  json apart;
  return fields.take("name", name).take("unit_roundoff", unit_roundoff).take("support", apart);
}

}  // namespace

CtcKernelInfo ctc_info_from(const json& said) {
  CtcKernelInfo info;
  Fields fields(said);
  take_common(fields, info.name, info.unit_roundoff)
      .take("arithmetic", info.arithmetic)
      .take("two_step", info.two_step)
      .take("output_unit_roundoff", info.output_unit_roundoff)
      .done();
  CtcSupport& s = info.support;
  Fields support(support_of(said));
  support.take("dtype", s.dtype)
      .take("largest_T", s.largest_T)
      .take("largest_B", s.largest_B)
      .take("largest_C", s.largest_C)
      .take("largest_S", s.largest_S)
      .take("logits", s.logits)
      .take("log_probs", s.log_probs)
      .take("gradient_of_logits", s.gradient_of_logits)
      .take("gradient_of_log_probs", s.gradient_of_log_probs)
      .take("padded", s.padded)
      .take("concatenated", s.concatenated)
      .take("reduction_none", s.reduction_none)
      .take("reduction_sum", s.reduction_sum)
      .take("reduction_mean", s.reduction_mean)
      .take("upstream", s.upstream)
      .take("zero_infinity", s.zero_infinity)
      .take("any_blank", s.any_blank)
      .take("empty", s.empty)
      .take("checks_arguments", s.checks_arguments)
      .done();
  return info;
}

CceKernelInfo cce_info_from(const json& said) {
  CceKernelInfo info;
  Fields fields(said);
  take_common(fields, info.name, info.unit_roundoff)
      .take("longest_chain", info.longest_chain)
      .take("exp_error", info.exp_error)
      .take("bfloat16_roundings", info.bfloat16_roundings)
      .done();
  CceSupport& s = info.support;
  Fields support(support_of(said));
  support.take("dtypes", s.dtypes)
      .take("largest_N", s.largest_N)
      .take("largest_H", s.largest_H)
      .take("largest_V", s.largest_V)
      .take("bias", s.bias)
      .take("logit_softcap", s.logit_softcap)
      .take("label_smoothing", s.label_smoothing)
      .take("z_loss", s.z_loss)
      .take("reduction_none", s.reduction_none)
      .take("reduction_sum", s.reduction_sum)
      .take("reduction_mean", s.reduction_mean)
      .take("upstream", s.upstream)
      .take("any_ignore_index", s.any_ignore_index)
      .take("empty", s.empty)
      .take("checks_arguments", s.checks_arguments)
      .done();
  return info;
}

SvdKernelInfo svd_info_from(const json& said) {
  SvdKernelInfo info;
  Fields fields(said);
  take_common(fields, info.name, info.unit_roundoff)
      .take("sweeps", info.sweeps)
      .take("graded", info.graded)
      .take("graded_range", info.graded_range)
      .take("canonical_signs", info.canonical_signs)
      .done();
  SvdSupport& s = info.support;
  Fields support(support_of(said));
  support.take("dtypes", s.dtypes)
      .take("largest_B", s.largest_B)
      .take("largest_M", s.largest_M)
      .take("largest_N", s.largest_N)
      .take("wide", s.wide)
      .take("tall", s.tall)
      .take("empty", s.empty)
      .take("checks_arguments", s.checks_arguments)
      .done();
  return info;
}

}  // namespace assay::validation
