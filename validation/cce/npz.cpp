#include "validation/cce/npz.h"

#include <cmath>
#include <set>
#include <utility>

#include "validation/cce/names.h"
#include "validation/core/npz_batch.h"
#include "validation/core/words.h"

namespace assay::validation {
namespace {

const std::set<std::string> known_names = {"hidden",   "weight",    "bias",          "targets",
                                           "upstream", "dtype",     "logit_softcap", "label_smoothing",
                                           "z_loss",   "reduction", "ignore_index"};

/// The arrays of a file on their way to a CceCase.
class Tokens {
 public:
  Tokens(NpzContents contents, std::vector<std::string>& notes)
      : arrays_(std::move(contents), "hidden, weight and targets", notes) {}

  CceCase read() {
    read_matrices();
    read_targets();
    read_options();
    arrays_.note_others();
    return std::move(case_);
  }

 private:
  const Shape& matrix_shape(const std::string& name) const {
    const NpyHeader& header = arrays_.get(name).header;
    if (header.shape.size() != 2)
      refuse("{}: {}: expected two axes, [{}, H]", name, header.summary(), name[0] == 'h' ? 'N' : 'V');
    return header.shape;
  }

  Dtype dtype() const {
    if (arrays_.find("dtype") != nullptr) return static_cast<Dtype>(arrays_.choice("dtype", cce_dtype_names()));
    return arrays_.get("hidden").header.item_size == 2 ? Dtype::float16 : Dtype::float32;
  }

  std::vector<float> elements(const std::string& name) {
    std::vector<float> values = arrays_.floats(name, arrays_.get(name));
    for (const float value : values)
      if (!std::isnan(value) && rounded_to(case_.dtype, value) != value)
        refuse("{}: {} is not a number of {}: round the array first", name, value, name_of(case_.dtype));
    return values;
  }

  void read_matrices() {
    case_.dtype = dtype();
    case_.N = matrix_shape("hidden")[0];
    case_.H = matrix_shape("hidden")[1];
    case_.V = matrix_shape("weight")[0];
    if (matrix_shape("weight")[1] != case_.H)
      refuse("weight: {}: expected [V, H={}], as hidden is [N, H]", arrays_.get("weight").header.summary(), case_.H);
    case_.hidden = elements("hidden");
    case_.weight = elements("weight");
    if (arrays_.find("bias") == nullptr) return;
    expect_shape("bias", {case_.V}, "[V]");
    case_.bias = elements("bias");
  }

  void expect_shape(const std::string& name, const Shape& shape, const std::string& text) const {
    const NpyHeader& header = arrays_.get(name).header;
    if (header.shape != shape)
      refuse("{}: {}: expected {}, for hidden is [N={}, H={}] and weight [V={}, H]", name, header.summary(), text,
             case_.N, case_.H, case_.V);
  }

  void read_targets() {
    expect_shape("targets", {case_.N}, "[N]");
    case_.targets = NpzBatch::integers("targets", arrays_.get("targets"));
  }

  void read_options() {
    case_.reduction = static_cast<Reduction>(arrays_.choice("reduction", reduction_names()));
    case_.logit_softcap = arrays_.number("logit_softcap", 0);
    case_.label_smoothing = arrays_.number("label_smoothing", 0);
    case_.z_loss = arrays_.number("z_loss", 0);
    if (const NpyArray* const array = arrays_.find("ignore_index")) {
      expect_shape("ignore_index", {}, "a scalar");
      case_.ignore_index = NpzBatch::integers("ignore_index", *array)[0];
    }
    if (const NpyArray* const array = arrays_.find("upstream")) {
      if (case_.reduction == Reduction::none) expect_shape("upstream", {case_.N}, "[N] for reduction none");
      if (case_.reduction != Reduction::none) expect_shape("upstream", {}, "a scalar for reduction sum or mean");
      case_.upstream = arrays_.floats("upstream", *array);
    }
  }

  NpzBatch arrays_;
  CceCase case_;
};

NpyArrays to_arrays(const CceCase& c) {
  NpyArrays arrays;
  arrays["hidden"] = npy_array(c.hidden, {c.N, c.H});
  arrays["weight"] = npy_array(c.weight, {c.V, c.H});
  if (!c.bias.empty()) arrays["bias"] = npy_array(c.bias, {c.V});
  arrays["targets"] = npy_array(c.targets, {c.N});
  arrays["dtype"] = npy_text_array(name_of(c.dtype));
  arrays["ignore_index"] = npy_array(std::vector{c.ignore_index}, {});
  arrays["logit_softcap"] = npy_number_array(c.logit_softcap);
  arrays["label_smoothing"] = npy_number_array(c.label_smoothing);
  arrays["z_loss"] = npy_number_array(c.z_loss);
  arrays["reduction"] = npy_text_array(reduction_names()[static_cast<std::size_t>(c.reduction)]);
  if (!c.upstream.empty())
    arrays["upstream"] = npy_array(c.upstream, c.reduction == Reduction::none ? Shape{c.N} : Shape{});
  return arrays;
}

}  // namespace

CceCase read_cce_npz(const std::filesystem::path& path, std::vector<std::string>& notes) try {
  return Tokens(read_npz_archive(path, known_names), notes).read();
} catch (const std::exception& error) {
  throw std::runtime_error(fmt::format("{}: {}", path.string(), error.what()));
}

void write_npz(const std::filesystem::path& path, const CceCase& c) {
  write_npz_archive(path, to_arrays(c));
}

}  // namespace assay::validation
