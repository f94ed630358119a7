#include "validation/ctc/npz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "validation/core/npz_batch.h"
#include "validation/core/words.h"

namespace assay::validation {
namespace {

const std::set<std::string> known_names = {"logits", "log_probs", "targets",   "input_lengths", "target_lengths",
                                           "blank",  "upstream",  "reduction", "zero_infinity", "variable"};
// In the order of their enumerations.
constexpr std::array<std::string_view, 2> variables = {"logits", "log_probs"};

/// The arrays of a file on their way to a CtcCase.
class Batch {
 public:
  Batch(NpzContents contents, std::vector<std::string>& notes)
      : arrays_(std::move(contents), "logits or log_probs, targets, input_lengths and target_lengths", notes) {}

  CtcCase read() {
    const bool one_row = read_activations();
    read_targets(one_row);
    case_.input_lengths = lengths("input_lengths");
    case_.target_lengths = lengths("target_lengths");
    if (case_.layout == CtcTargets::concatenated)
      for (const std::int64_t labels : case_.target_lengths) case_.S = std::max(case_.S, labels);
    read_options();
    arrays_.note_others();
    return std::move(case_);
  }

 private:
  /// Sets T, B, C and the activations; true where they are [T, C].
  bool read_activations() {
    if (arrays_.find("logits") != nullptr && arrays_.find("log_probs") != nullptr)
      refuse("both logits and log_probs: expected one of them");
    case_.input = arrays_.find("log_probs") != nullptr ? CtcInput::log_probs : CtcInput::logits;
    const std::string name = case_.input == CtcInput::log_probs ? "log_probs" : "logits";
    const NpyArray& array = arrays_.get(name);
    const Shape& shape = array.header.shape;
    if (shape.size() != 2 && shape.size() != 3)
      refuse("{}: {}: expected [T, B, C] or [T, C]", name, array.header.summary());
    case_.T = shape.front();
    case_.B = shape.size() == 3 ? shape[1] : 1;
    case_.C = shape.back();
    if (case_.C == 0) refuse("{}: {}: expected at least one class", name, array.header.summary());
    case_.activations = arrays_.floats(name, array);
    return shape.size() == 2;
  }

  static std::string_view hint(bool batch_first) {
    return batch_first ? "; are the activations batch first? transpose them" : "";
  }

  void read_targets(bool one_row) {
    const NpyArray& array = arrays_.get("targets");
    const Shape& shape = array.header.shape;
    const bool batch_first = shape.size() == 2 && shape[0] == case_.T;
    if (shape.size() != 1 && (shape.size() != 2 || shape[0] != case_.B))
      refuse("targets: {}: expected [B={}, S] or [sum of target_lengths]{}", array.header.summary(), case_.B,
             hint(batch_first));
    case_.layout = shape.size() == 2 || one_row ? CtcTargets::padded : CtcTargets::concatenated;
    if (case_.layout == CtcTargets::padded) case_.S = shape.back();
    case_.targets = arrays_.integers("targets", array);
  }

  std::vector<std::int64_t> lengths(const std::string& name) const {
    const NpyArray& array = arrays_.get(name);
    const Shape& shape = array.header.shape;
    const bool scalar = shape.empty() && case_.B == 1;
    const bool batch_first = shape == Shape{case_.T};
    if (!scalar && shape != Shape{case_.B})
      refuse("{}: {}: expected [B={}], for the activations are [T={}, B={}, C={}]{}", name, array.header.summary(),
             case_.B, case_.T, case_.B, case_.C, hint(batch_first));
    return arrays_.integers(name, array);
  }

  void read_options() {
    if (const NpyArray* const array = arrays_.find("blank")) {
      if (!array->header.shape.empty()) refuse("blank: {}: expected a scalar", array->header.summary());
      case_.blank = arrays_.integers("blank", *array)[0];
    }
    case_.reduction = static_cast<Reduction>(arrays_.choice("reduction", reduction_names()));
    case_.variable = static_cast<CtcVariable>(arrays_.choice("variable", variables));
    case_.zero_infinity = arrays_.flag("zero_infinity");
    if (const NpyArray* const array = arrays_.find("upstream")) read_upstream(*array);
  }

  void read_upstream(const NpyArray& array) {
    const Shape& shape = array.header.shape;
    const bool per_row = case_.reduction == Reduction::none;
    if (per_row ? shape != Shape{case_.B} : !shape.empty() && shape != Shape{1})
      refuse("upstream: {}: expected {}", array.header.summary(),
             per_row ? fmt::format("[B={}] for reduction none", case_.B) : "a scalar for reduction sum or mean");
    case_.upstream = arrays_.floats("upstream", array);
  }

  NpzBatch arrays_;
  CtcCase case_;
};

NpyArrays to_arrays(const CtcCase& c) {
  const auto elements = static_cast<std::int64_t>(c.targets.size());
  NpyArrays arrays;
  arrays[c.input == CtcInput::logits ? "logits" : "log_probs"] = npy_array(c.activations, {c.T, c.B, c.C});
  arrays["targets"] = npy_array(c.targets, c.layout == CtcTargets::padded ? Shape{c.B, c.S} : Shape{elements});
  arrays["input_lengths"] = npy_array(c.input_lengths, {c.B});
  arrays["target_lengths"] = npy_array(c.target_lengths, {c.B});
  arrays["blank"] = npy_array(std::vector{c.blank}, {});
  arrays["reduction"] = npy_text_array(reduction_names()[static_cast<std::size_t>(c.reduction)]);
  arrays["variable"] = npy_text_array(variables[static_cast<std::size_t>(c.variable)]);
  arrays["zero_infinity"] = npy_flag_array(c.zero_infinity);
  if (!c.upstream.empty())
    arrays["upstream"] = npy_array(c.upstream, c.reduction == Reduction::none ? Shape{c.B} : Shape{});
  return arrays;
}

}  // namespace

CtcCase read_ctc_npz(const std::filesystem::path& path, std::vector<std::string>& notes) try {
  return Batch(read_npz_archive(path, known_names), notes).read();
} catch (const std::exception& error) {
  throw std::runtime_error(fmt::format("{}: {}", path.string(), error.what()));
}

CtcCase read_ctc_npz(const std::filesystem::path& path) {
  std::vector<std::string> notes;
  return read_ctc_npz(path, notes);
}

void write_npz(const std::filesystem::path& path, const CtcCase& c) {
  if (c.C < 1) refuse("C = {}: expected at least 1", c.C);
  write_npz_archive(path, to_arrays(c));
}

}  // namespace assay::validation
