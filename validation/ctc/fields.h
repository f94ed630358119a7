// The table of the fields of CTC: a problem, its results, and what a kernel may decline.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "metal/cpu/ctc/any.h"
#include "validation/core/npz_archive.h"
#include "validation/core/run.h"
#include "validation/core/words.h"
#include "validation/ctc/case.h"
#include "validation/ctc/kernel.h"
#include "validation/plugin/assay_plugin.h"

namespace assay::validation {

/// Results as float32, in which 16-bit gradients are exact.
struct CtcRun : BasicRun {
  std::vector<float> loss;
  std::vector<float> gradient;

  float gradient_at(const CtcCase& c, std::int64_t t, std::int64_t b, std::int64_t k) const {
    return gradient[static_cast<std::size_t>((t * c.B + b) * c.C + k)];
  }
};

struct CtcFields : FieldTypes<CtcCase, CtcKernel, CtcRun> {
  static constexpr const char* name = "ctc";

  using Image = float;
  using Input = metal::AnyInputOf<float, metal::Half, metal::BFloat16>;
  using PluginKernel = assay_ctc_kernel;

  /// Generated cases are converted to a dtype that the kernel does.
  static constexpr bool adapts_dtype = true;
  /// Converts logits for a kernel that takes log_probs alone. Needle cases have logits: it would meet no large size.
  static void adapt_input(const Support& support, Case& c);

  static const auto& problem();
  static const auto& results();
  static const auto& declarations();
  static constexpr const char* wanted = "gradient";  ///< the common name of the results other than the loss

  static const char* per_row(const Statement& s) { return s.reduction == Reduction::none ? "B" : "1"; }
  static const char* targets_shape(const Statement& s) { return s.layout == CtcTargets::padded ? "B,S" : "labels"; }
  static const char* activations_name(const Case& c);
  static std::int64_t longest_target(const Case& c);
  static std::int64_t states(const Statement& s);  ///< L = 2S + 1
  static bool has_empty_rows(const Case& c);

  /// The reason why a kernel need not do a case: an activation is beyond its limits, or a loss may leave the range of
  /// the type that it is stored in.
  static std::string further_reason(const Info& info, const Case& c);

  static ValueShrinks<float> shrinks();

  // Files: activations of one row may be [T, C]; the names and axes of arrays determine options.
  static void npz_names(std::set<std::string>& names);
  static void prepare_npz(NpzContents& contents, Case& c);
  static void finish_npz(Case& c);
  static const char* npz_hint(const Case& c, const std::vector<std::int64_t>& shape);

  /// Throws std::invalid_argument for a problem or output that this project's own host code refuses.
  static void validate(const Problem& problem, const Output& out);
};

// clang-format off: a row is easier to read in few lines.
inline const auto& CtcFields::problem() {
  using T = CtcFields;
  using Integers = PlainArray<T, std::int64_t>;
  static const std::tuple table{
      Extent<T>{"T", &Case::T, &Statement::T, &PluginKernel::largest_T},
      Extent<T>{"B", &Case::B, &Statement::B, &PluginKernel::largest_B},
      Extent<T>{"C", &Case::C, &Statement::C, &PluginKernel::largest_C, 1},
      Extent<T>{"S", &Case::S, &Statement::S, &PluginKernel::largest_S, 0, longest_target},
      DerivedExtent<T>{"L", states},
      DerivedExtent<T>{"labels", [](const Statement& s) { return static_cast<std::int64_t>(s.targets.size()); }},
      DtypeField<T>{"dtype", &Case::dtype, {Dtype::float32, Dtype::float16, Dtype::bfloat16}, false},
      Option<T, std::int64_t>{"blank", &Case::blank, &Statement::blank,
                              {"any_blank", "a blank other than 0", ASSAY_CTC_NO_OTHER_BLANK}},
      Choice<T, CtcInput>{.name = "input", .in_case = &Case::input, .in_statement = &Statement::input,
                          .values = {"logits", "log_probs"},
                          .declinable = {{"logits", "logits", ASSAY_CTC_NO_LOGITS},
                                         {"log_probs", "log_probs", ASSAY_CTC_NO_LOG_PROBS}},
                          .keyword = "inputs", .in_npz = false,
                          .metal_flag = "from_logits", .metal_true = CtcInput::logits},
      Choice<T, CtcVariable>{.name = "variable", .in_case = &Case::variable, .in_statement = &Statement::variable,
                             .values = {"logits", "log_probs"},
                             .declinable = {{"gradient_of_logits", "dL/dlogits", ASSAY_CTC_NO_GRADIENT_OF_LOGITS},
                                            {"gradient_of_log_probs", "dL/dlog_probs",
                                             ASSAY_CTC_NO_GRADIENT_OF_LOG_PROBS}},
                             .keyword = "gradient_of", .resets = true, .call_name = "gradient_of",
                             .metal_flag = "of_logits", .metal_true = CtcVariable::logits},
      Choice<T, CtcTargets>{.name = "layout", .in_case = &Case::layout, .in_statement = &Statement::layout,
                            .values = {"padded", "concatenated"},
                            .declinable = {{"padded", "padded targets", ASSAY_CTC_NO_PADDED},
                                           {"concatenated", "concatenated targets", ASSAY_CTC_NO_CONCATENATED}},
                            .keyword = "layouts", .in_npz = false,
                            .metal_flag = "concatenated", .metal_true = CtcTargets::concatenated},
      Choice<T, Reduction>{"reduction", &Case::reduction, &Statement::reduction, reduction_names(),
                           {{"reduction_none", "reduction 'none'", ASSAY_CTC_NO_REDUCTION_NONE},
                            {"reduction_sum", "reduction 'sum'", ASSAY_CTC_NO_REDUCTION_SUM},
                            {"reduction_mean", "reduction 'mean'", ASSAY_CTC_NO_REDUCTION_MEAN}},
                           "reductions"},
      Option<T, bool>{"zero_infinity", &Case::zero_infinity, &Statement::zero_infinity,
                      {"zero_infinity", "zero_infinity", ASSAY_CTC_NO_ZERO_INFINITY}, true},
      Integers{.name = "input_lengths", .in_case = &Case::input_lengths, .in_problem = &Statement::input_lengths,
               .shape = {"B"}, .metal_type = "int"},
      Integers{.name = "target_lengths", .in_case = &Case::target_lengths, .in_problem = &Statement::target_lengths,
               .shape = {"B"}, .metal_type = "int"},
      Integers{.name = "targets", .in_case = &Case::targets, .in_problem = &Statement::targets,
               .shape = {"", targets_shape}, .npz_or = " or [sum of target_lengths]", .metal_type = "int"},
      PlainArray<T, float>{.name = "upstream", .in_case = &Case::upstream, .in_problem = &Statement::upstream,
                           .shape = {"", per_row, "reduction"}, .optional = true,
                           .declinable = {"upstream", "an upstream gradient", ASSAY_CTC_NO_UPSTREAM},
                           .metal_type = "float"},
      DtypeArray<T>{.name = "activations", .in_case = &Case::activations, .in_problem = &Problem::activations,
                    .shape = {"T,B,C"}, .shrinks = shrinks(), .npz_name = activations_name,
                    .npz_words = "logits or log_probs", .npz_or = " or [T, C]"},
      Further<T>{{"empty", "empty rows", ASSAY_CTC_NO_EMPTY}, has_empty_rows},
      Further<T>{{"checks_arguments", "", ASSAY_CTC_NO_CHECKS}},
      Further<T>{{"same_bits", "", ASSAY_CTC_NO_SAME_BITS}}};
  return table;
}

inline const auto& CtcFields::declarations() {
  using T = CtcFields;
  static const std::tuple table{
      Declaration<T, double, double>{"unit_roundoff", &Info::unit_roundoff, &PluginKernel::unit_roundoff, 0x1p-8,
                                     "0 for float32's, or a roundoff, at most 2^-8, that of bfloat16"},
      Declaration<T, Arithmetic, std::uint32_t>{"arithmetic", &Info::arithmetic, &PluginKernel::arithmetic, 1,
                                                "ASSAY_LOG_SPACE or ASSAY_PROBABILITY", {"log_space", "probability"}},
      Declaration<T, bool, std::uint32_t>{"two_step", &Info::two_step, &PluginKernel::two_step, 1, "0 or 1"},
      Declaration<T, bool, std::uint32_t>{"random_rounding", &Info::random_rounding, &PluginKernel::random_rounding, 1,
                                          "0 or 1"},
      Declaration<T, bool, std::uint32_t>{"batch_invariant", &Info::batch_invariant, &PluginKernel::batch_invariant, 1,
                                          "0 or 1"},
      Declaration<T, bool, std::uint32_t>{"nonnegative_loss", &Info::nonnegative_loss, &PluginKernel::nonnegative_loss,
                                          1, "0 or 1"},
      Declaration<T, double, double>{"largest_activation", &Info::largest_activation,
                                     &PluginKernel::largest_activation, 0x1p128, "0 for no limit, or a size"},
      Declaration<T, double, double>{"largest_spread", &Info::largest_spread, &PluginKernel::largest_spread, 0x1p129,
                                     "0 for no limit, or a difference"}};
  return table;
}

inline const auto& CtcFields::results() {
  using T = CtcFields;
  static const std::tuple table{
      Result<T, std::span<float>>{.name = "loss", .in_run = &Run::loss, .in_output = &Output::loss,
                                  .shape = {"", per_row}, .indices = "b", .plugin_dtype = true,
                                  .metal_type = "float"},
      Result<T, metal::AnyOutputOf<float, metal::Half, metal::BFloat16>>{
          .name = "gradient", .in_run = &Run::gradient, .in_output = &Output::gradient, .shape = {"T,B,C"},
          .indices = "tbk", .wanted_with = "gradient", .gradient_of = &Case::activations, .plugin_dtype = true}};
  return table;
}

// clang-format on

}  // namespace assay::validation
