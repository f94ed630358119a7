// The table of the fields of linear cross-entropy: a problem, its results, and what a kernel may decline.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "metal/cpu/cce/any.h"
#include "validation/cce/case.h"
#include "validation/cce/kernel.h"
#include "validation/core/roundoff_count.h"
#include "validation/core/run.h"
#include "validation/core/words.h"
#include "validation/plugin/assay_plugin.h"

namespace assay::validation {

/// Results as float32, in which 16-bit gradients are exact.
struct CceRun : BasicRun {
  std::vector<float> loss;
  std::vector<float> dhidden;
  std::vector<float> dweight;
  std::vector<float> dbias;
};

struct CceFields : FieldTypes<CceCase, CceKernel, CceRun> {
  static constexpr const char* name = "cce";

  using Image = float;
  using Input = metal::AnyInput;
  using PluginKernel = assay_cce_kernel;

  static const auto& problem();
  static const auto& results();
  static const auto& declarations();
  static constexpr const char* wanted = "gradient";  ///< the common name of the results other than the loss

  /// Throws std::invalid_argument for a problem or output that this project's own host code refuses.
  static void validate(const Problem& problem, const Output& out);

  static const char* per_token(const Statement& s) { return s.reduction == Reduction::none ? "N" : "1"; }
  static std::int64_t valid_tokens(const Statement& s);
  static ValueShrinks<float> shrinks();
};

// clang-format off: a row is easier to read in few lines.
inline const auto& CceFields::problem() {
  using T = CceFields;
  using Number = Option<T, double>;
  static const std::tuple table{
      Extent<T>{"N", &Case::N, &Statement::N, &PluginKernel::largest_N},
      Extent<T>{"H", &Case::H, &Statement::H, &PluginKernel::largest_H, 1},
      Extent<T>{"V", &Case::V, &Statement::V, &PluginKernel::largest_V, 1},
      DerivedExtent<T>{"valid_tokens", valid_tokens},
      DtypeField<T>{"dtype", &Case::dtype, {Dtype::float32, Dtype::float16, Dtype::bfloat16}},
      Option<T, std::int64_t>{
          "ignore_index", &Case::ignore_index, &Statement::ignore_index,
          {"any_ignore_index", "an ignore_index other than -100", ASSAY_CCE_NO_OTHER_IGNORE_INDEX}, false, "targets"},
      Number{"logit_softcap", &Case::logit_softcap, &Statement::logit_softcap,
             {"logit_softcap", "logit_softcap", ASSAY_CCE_NO_LOGIT_SOFTCAP}, true},
      Number{"label_smoothing", &Case::label_smoothing, &Statement::label_smoothing,
             {"label_smoothing", "label_smoothing", ASSAY_CCE_NO_LABEL_SMOOTHING}, true},
      Number{"z_loss", &Case::z_loss, &Statement::z_loss, {"z_loss", "z_loss", ASSAY_CCE_NO_Z_LOSS}, true},
      Choice<T, Reduction>{"reduction", &Case::reduction, &Statement::reduction, reduction_names(),
                           {{"reduction_none", "reduction 'none'", ASSAY_CCE_NO_REDUCTION_NONE},
                            {"reduction_sum", "reduction 'sum'", ASSAY_CCE_NO_REDUCTION_SUM},
                            {"reduction_mean", "reduction 'mean'", ASSAY_CCE_NO_REDUCTION_MEAN}},
                           "reductions"},
      PlainArray<T, std::int64_t>{.name = "targets", .in_case = &Case::targets, .in_problem = &Statement::targets,
                                  .shape = {"N"}, .metal_type = "int"},
      PlainArray<T, float>{.name = "upstream", .in_case = &Case::upstream, .in_problem = &Statement::upstream,
                           .shape = {"", per_token, "reduction"}, .optional = true,
                           .declinable = {"upstream", "an upstream gradient", ASSAY_CCE_NO_UPSTREAM},
                           .shrinks = shrinks(), .metal_type = "float"},
      DtypeArray<T>{.name = "hidden", .in_case = &Case::hidden, .in_problem = &Problem::hidden, .shape = {"N,H"},
                    .shrinks = shrinks()},
      DtypeArray<T>{.name = "weight", .in_case = &Case::weight, .in_problem = &Problem::weight, .shape = {"V,H"},
                    .shrinks = shrinks()},
      DtypeArray<T>{.name = "bias", .in_case = &Case::bias, .in_problem = &Problem::bias, .shape = {"V"},
                    .optional = true, .declinable = {"bias", "a bias", ASSAY_CCE_NO_BIAS}, .shrinks = shrinks()},
      Further<T>{{"empty", "batches of no valid tokens", ASSAY_CCE_NO_EMPTY},
                 [](const Case& c) { return c.valid_tokens() == 0; }},
      Further<T>{{"checks_arguments", "", ASSAY_CCE_NO_CHECKS}},
      Further<T>{{"same_bits", "", ASSAY_CCE_NO_SAME_BITS}}};
  return table;
}

inline const auto& CceFields::declarations() {
  using T = CceFields;
  static const std::tuple table{
      Declaration<T, double, double>{"unit_roundoff", &Info::unit_roundoff, &PluginKernel::unit_roundoff, 0x1p-8,
                                     "0 for float32's, or a roundoff, at most 2^-8, that of bfloat16"},
      Declaration<T, double, double>{"sum_roundoff", &Info::sum_roundoff, &PluginKernel::sum_roundoff, 0x1p-8,
                                     "0 for unit_roundoff, or a roundoff, at most 2^-8, that of bfloat16"},
      RoundoffCount<T, double, double>{
          {"exp_error", &Info::exp_error, &PluginKernel::exp_error, 0x1p45, "0 for 4, or units of roundoff"}},
      Declaration<T, std::int64_t, std::int64_t>{"longest_chain", &Info::longest_chain, &PluginKernel::longest_chain,
                                                 0x1p62, "0, or a number of additions"},
      Declaration<T, int, std::int64_t>{"bfloat16_roundings", &Info::bfloat16_roundings,
                                        &PluginKernel::bfloat16_roundings, 4, "0 to 4"},
      Declaration<T, bool, std::uint32_t>{"rounded_lse", &Info::rounded_lse, &PluginKernel::rounded_lse, 1, "0 or 1"},
      Declaration<T, bool, std::uint32_t>{"batch_invariant", &Info::batch_invariant, &PluginKernel::batch_invariant, 1,
                                          "0 or 1"}};
  return table;
}

inline const auto& CceFields::results() {
  using T = CceFields;
  using Gradient = Result<T, metal::AnyOutput>;
  static const std::tuple table{
      Result<T, std::span<float>>{.name = "loss", .in_run = &Run::loss, .in_output = &Output::loss,
                                  .shape = {"", per_token}, .indices = "n", .metal_type = "float"},
      Gradient{.name = "dhidden", .in_run = &Run::dhidden, .in_output = &Output::dhidden, .shape = {"N,H"},
               .indices = "nh", .wanted_with = "dhidden", .gradient_of = &Case::hidden},
      Gradient{.name = "dweight", .in_run = &Run::dweight, .in_output = &Output::dweight, .shape = {"V,H"},
               .indices = "vh", .wanted_with = "dweight", .gradient_of = &Case::weight},
      Gradient{.name = "dbias", .in_run = &Run::dbias, .in_output = &Output::dbias, .shape = {"V"},
               .indices = "v", .wanted_with = "dbias", .gradient_of = &Case::bias}};
  return table;
}

// clang-format on

}  // namespace assay::validation
