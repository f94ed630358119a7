#include "validation/plugin/declaration.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::validation::plugin {
namespace {

static_assert(static_cast<int>(Dtype::float32) == ASSAY_FLOAT32 && static_cast<int>(Dtype::float16) == ASSAY_FLOAT16 &&
              static_cast<int>(Dtype::bfloat16) == ASSAY_BFLOAT16 && static_cast<int>(Dtype::float64) == ASSAY_FLOAT64);

/// Checks and converts the fields of one declaration.
class Fields {
 public:
  Fields(std::string path, const char* symbol) : path_(std::move(path)), symbol_(symbol) {}

  template <class Value>
  void expect(bool holds, const char* field, Value value, const std::string& expected) const {
    if (holds) return;
    throw std::invalid_argument(fmt::format("{}: {}.{} is {}: expected {}", path_, symbol_, field, value, expected));
  }

  std::int64_t limit(const char* field, std::int64_t declared) const {
    expect(declared >= 0, field, declared, "0 for no limit, or the largest size");
    return declared == 0 ? no_limit : declared;
  }

  bool flag(const char* field, std::uint32_t declared) const {
    expect(declared <= 1, field, declared, "0 or 1");
    return declared == 1;
  }

  double roundoff(double declared) const {
    expect(declared >= 0 && declared <= 0x1p-4, "unit_roundoff", declared,
           "0 for float32's, or a roundoff, at most 2^-4");
    return declared == 0 ? 0x1p-24 : declared;
  }

  void lacks(std::uint32_t declared, std::uint32_t largest) const {
    expect(declared < 2 * largest, "unsupported", declared, "a sum of the flags in assay_plugin.h");
  }

  void alignment(std::int64_t declared) const {
    expect(declared >= 0 && declared <= 4096 && (declared & (declared - 1)) == 0, "alignment", declared,
           "0, or a power of two up to 4096");
  }

  /// A sum of ASSAY_DTYPE_BIT.
  std::vector<Dtype> dtypes(std::uint32_t declared, Dtype last) const {
    expect(declared < 2 * ASSAY_DTYPE_BIT(static_cast<unsigned>(last)), "dtypes", declared,
           fmt::format("0 for float32, or a sum of ASSAY_DTYPE_BIT of types up to {}", name_of(last)));
    if (declared == 0) return {Dtype::float32};
    std::vector<Dtype> types;
    for (unsigned bit = 0; bit <= static_cast<unsigned>(last); ++bit)
      if ((declared & ASSAY_DTYPE_BIT(bit)) != 0) types.push_back(static_cast<Dtype>(bit));
    return types;
  }

 private:
  std::string path_;
  const char* symbol_;
};

}  // namespace

CtcKernelInfo info_of(const assay_ctc_kernel& declared, const std::string& path) {
  const Fields fields(path, "assay_ctc");
  fields.expect(declared.dtype <= ASSAY_BFLOAT16, "dtype", declared.dtype,
                "ASSAY_FLOAT32, ASSAY_FLOAT16 or ASSAY_BFLOAT16");
  fields.expect(declared.arithmetic <= ASSAY_PROBABILITY, "arithmetic", declared.arithmetic,
                "ASSAY_LOG_SPACE or ASSAY_PROBABILITY");
  fields.lacks(declared.unsupported, ASSAY_CTC_NO_CHECKS);
  fields.alignment(declared.alignment);
  const auto does = [&](std::uint32_t lack) { return (declared.unsupported & lack) == 0; };
  CtcKernelInfo info;
  info.name = path;
  info.arithmetic = declared.arithmetic == ASSAY_PROBABILITY ? Arithmetic::probability : Arithmetic::log_space;
  info.unit_roundoff = fields.roundoff(declared.unit_roundoff);
  info.two_step = fields.flag("two_step", declared.two_step);
  const auto dtype = static_cast<Dtype>(declared.dtype);
  info.output_unit_roundoff = format_of(dtype).roundoff;
  info.support = {.dtype = dtype,
                  .largest_T = fields.limit("largest_T", declared.largest_T),
                  .largest_B = fields.limit("largest_B", declared.largest_B),
                  .largest_C = fields.limit("largest_C", declared.largest_C),
                  .largest_S = fields.limit("largest_S", declared.largest_S),
                  .logits = does(ASSAY_CTC_NO_LOGITS),
                  .log_probs = does(ASSAY_CTC_NO_LOG_PROBS),
                  .gradient_of_logits = does(ASSAY_CTC_NO_GRADIENT_OF_LOGITS),
                  .gradient_of_log_probs = does(ASSAY_CTC_NO_GRADIENT_OF_LOG_PROBS),
                  .padded = does(ASSAY_CTC_NO_PADDED),
                  .concatenated = does(ASSAY_CTC_NO_CONCATENATED),
                  .reduction_none = does(ASSAY_CTC_NO_REDUCTION_NONE),
                  .reduction_sum = does(ASSAY_CTC_NO_REDUCTION_SUM),
                  .reduction_mean = does(ASSAY_CTC_NO_REDUCTION_MEAN),
                  .upstream = does(ASSAY_CTC_NO_UPSTREAM),
                  .zero_infinity = does(ASSAY_CTC_NO_ZERO_INFINITY),
                  .any_blank = does(ASSAY_CTC_NO_OTHER_BLANK),
                  .empty = does(ASSAY_CTC_NO_EMPTY),
                  .checks_arguments = does(ASSAY_CTC_NO_CHECKS)};
  return info;
}

CceKernelInfo info_of(const assay_cce_kernel& declared, const std::string& path) {
  const Fields fields(path, "assay_cce");
  fields.expect(declared.exp_error >= 0 && declared.exp_error <= 1e6, "exp_error", declared.exp_error,
                "0 for 4, or units of roundoff");
  fields.expect(declared.longest_chain >= 0, "longest_chain", declared.longest_chain, "0, or a number of additions");
  fields.expect(declared.bfloat16_roundings >= 0 && declared.bfloat16_roundings <= 16, "bfloat16_roundings",
                declared.bfloat16_roundings, "0 to 16");
  fields.lacks(declared.unsupported, ASSAY_CCE_NO_CHECKS);
  fields.alignment(declared.alignment);
  const auto does = [&](std::uint32_t lack) { return (declared.unsupported & lack) == 0; };
  CceKernelInfo info;
  info.name = path;
  info.unit_roundoff = fields.roundoff(declared.unit_roundoff);
  info.longest_chain = declared.longest_chain;
  if (declared.exp_error > 0) info.exp_error = declared.exp_error;
  info.bfloat16_roundings = static_cast<int>(declared.bfloat16_roundings);
  info.support = {.dtypes = fields.dtypes(declared.dtypes, Dtype::bfloat16),
                  .largest_N = fields.limit("largest_N", declared.largest_N),
                  .largest_H = fields.limit("largest_H", declared.largest_H),
                  .largest_V = fields.limit("largest_V", declared.largest_V),
                  .bias = does(ASSAY_CCE_NO_BIAS),
                  .logit_softcap = does(ASSAY_CCE_NO_LOGIT_SOFTCAP),
                  .label_smoothing = does(ASSAY_CCE_NO_LABEL_SMOOTHING),
                  .z_loss = does(ASSAY_CCE_NO_Z_LOSS),
                  .reduction_none = does(ASSAY_CCE_NO_REDUCTION_NONE),
                  .reduction_sum = does(ASSAY_CCE_NO_REDUCTION_SUM),
                  .reduction_mean = does(ASSAY_CCE_NO_REDUCTION_MEAN),
                  .upstream = does(ASSAY_CCE_NO_UPSTREAM),
                  .any_ignore_index = does(ASSAY_CCE_NO_OTHER_IGNORE_INDEX),
                  .empty = does(ASSAY_CCE_NO_EMPTY),
                  .checks_arguments = does(ASSAY_CCE_NO_CHECKS)};
  return info;
}

SvdKernelInfo info_of(const assay_svd_kernel& declared, const std::string& path) {
  const Fields fields(path, "assay_svd");
  fields.expect(declared.graded_range >= 0 && declared.graded_range <= 1, "graded_range", declared.graded_range,
                "0, or a share of the largest singular value");
  fields.expect(declared.sweeps >= 0 && declared.sweeps <= 1000, "sweeps", declared.sweeps, "0 for 10, or up to 1000");
  fields.lacks(declared.unsupported, ASSAY_SVD_NO_CHECKS);
  fields.alignment(declared.alignment);
  const auto does = [&](std::uint32_t lack) { return (declared.unsupported & lack) == 0; };
  SvdKernelInfo info;
  info.name = path;
  info.unit_roundoff = fields.roundoff(declared.unit_roundoff);
  if (declared.sweeps > 0) info.sweeps = static_cast<int>(declared.sweeps);
  info.graded = declared.graded_range > 0;
  if (info.graded) info.graded_range = declared.graded_range;
  info.canonical_signs = fields.flag("canonical_signs", declared.canonical_signs);
  info.support = {.dtypes = fields.dtypes(declared.dtypes, Dtype::float64),
                  .largest_B = fields.limit("largest_B", declared.largest_B),
                  .largest_M = fields.limit("largest_M", declared.largest_M),
                  .largest_N = fields.limit("largest_N", declared.largest_N),
                  .wide = does(ASSAY_SVD_NO_WIDE),
                  .tall = does(ASSAY_SVD_NO_TALL),
                  .empty = does(ASSAY_SVD_NO_EMPTY),
                  .checks_arguments = does(ASSAY_SVD_NO_CHECKS)};
  return info;
}

}  // namespace assay::validation::plugin
