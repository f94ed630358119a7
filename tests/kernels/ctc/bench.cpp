#include "tests/kernels/ctc/bench.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <stdexcept>

#include "metal/cpu/half.h"
#include "metal/device/or_throw.h"
#include "metal/host/ctc/chunks.h"
#include "metal/host/ctc/kernels.h"
#include "metal/host/ctc/rows.h"
#include "tests/kernels/emulated.h"

namespace assay::metal::test {
namespace {

using ctc::BufferIndex;
using Problem = reference::CtcProblem<float>;

template <class D>
std::vector<std::byte> converted(std::span<const float> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(D));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const D value = static_cast<D>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(D), &value, sizeof(D));
  }
  return bytes;
}

std::vector<std::byte> to_type(std::span<const float> values, const std::string& type) {
  if (type == "half") return converted<Half>(values);
  return type == "bfloat" ? converted<BFloat16>(values) : converted<float>(values);
}

template <class D>
std::vector<float> read(const std::byte* from, std::size_t count) {
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    D value{};
    std::memcpy(&value, from + i * sizeof(D), sizeof(D));
    values.push_back(static_cast<float>(value));
  }
  return values;
}

std::vector<float> from_type(const std::byte* from, std::size_t count, const std::string& type) {
  if (type == "half") return read<Half>(from, count);
  return type == "bfloat" ? read<BFloat16>(from, count) : read<float>(from, count);
}

std::uint64_t width_of(const std::string& type) {
  return type == "float" ? 4 : 2;
}

std::uint64_t rounded_up(std::uint64_t count, std::uint64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

/// The names of the kernels of one variant, in the order of their dispatches, but for ctc_reduce.
std::vector<std::string> kernels_of(const CtcVariant& variant) {
  const std::string size = name_of(variant.size);
  if (variant.size == SizeClass::plain) {
    if (!variant.with_gradient) return {"ctc_plain_log_softmax_" + variant.type, "ctc_plain_alpha"};
    return {"ctc_plain_log_softmax_" + variant.type, "ctc_plain_alpha", "ctc_plain_beta",
            "ctc_plain_gradient_" + variant.type};
  }
  if (!variant.with_gradient) return {"ctc_emissions_" + variant.type, "ctc_forward_" + size};
  return {"ctc_emissions_" + variant.type, "ctc_forward_" + size, "ctc_backward_" + size + "_" + variant.type};
}

/// One problem on the device: its buffers and its dispatches.
class Call {
 public:
  Call(Device& device, Library& library, const Problem& problem, const CtcVariant& variant)
      : device_(device), library_(library), problem_(problem), variant_(variant) {
    const auto path = variant.size == SizeClass::plain ? host::CtcPath::plain : host::CtcPath::production;
    const auto statement = host::ctc_statement(problem, variant.with_gradient, path);
    tables_ = or_throw(host::ctc_rows(problem));
    const auto chunks = or_throw(host::ctc_chunks(tables_.rows, statement, true, host::CtcRoom::of({}, 0)));
    space_ = chunks.space;
    if (!chunks.chunks.empty()) longest_ = chunks.chunks.front().longest;
    shape_ = {
        problem.T, problem.B, problem.C, 0, static_cast<std::uint32_t>(problem.B), problem.zero_infinity ? 1U : 0U};
    make_buffers();
  }

  CtcOutcome run() {
    std::vector<std::shared_ptr<const ComputePipeline>> pipelines;
    const bool is_reduced = problem_.reduction != reference::Reduction::none;
    std::vector<std::string> names = kernels_of(variant_);
    if (is_reduced) names.emplace_back("ctc_reduce");
    for (const std::string& name : names) pipelines.push_back(pipeline(name));
    const auto commands = device_.new_command_queue()->command_buffer();
    const auto encoder = or_throw(commands->compute_encoder());
    for (std::size_t n = 0; n < names.size(); ++n) dispatch(*encoder, names[n], pipelines[n]);
    or_throw(encoder->end_encoding());
    or_throw(commands->commit());
    or_throw(commands->wait_until_completed());
    if (commands->error()) throw std::runtime_error(commands->error()->text);
    CtcOutcome outcome;
    outcome.loss = read<float>(buffers_.at(is_reduced ? ctc::result_index : ctc::losses_index)->contents(),
                               is_reduced ? 1 : tables_.rows.size());
    if (variant_.with_gradient)
      outcome.gradient =
          from_type(buffers_.at(ctc::gradient_index)->contents(), problem_.activations.size(), variant_.type);
    return outcome;
  }

 private:
  template <class T>
  void give(BufferIndex index, const std::vector<T>& values) {
    const std::vector<T> filler(1);
    buffers_[index] = or_throw(device_.new_buffer(std::as_bytes(std::span(values.empty() ? filler : values)), ""));
  }
  void make(BufferIndex index, std::uint64_t bytes) {
    buffers_[index] = or_throw(device_.new_buffer(std::max<std::uint64_t>(bytes, 16), ""));
  }

  void make_buffers() {
    const auto B = static_cast<std::uint64_t>(problem_.B), frames = static_cast<std::uint64_t>(problem_.T) * B;
    const std::uint64_t elements = problem_.activations.size();
    const bool is_plain = variant_.size == SizeClass::plain;
    const std::uint64_t cell = is_plain ? sizeof(float) : sizeof(ctc::Scaled);
    give(ctc::rows_index, tables_.rows);
    give(ctc::activations_index, to_type(problem_.activations, variant_.type));
    give(ctc::slots_index, tables_.slots);
    give(ctc::order_index, tables_.order);
    give(ctc::ends_index, tables_.ends);
    give(ctc::classes_index, tables_.classes);
    make(ctc::emissions_index, cell * (is_plain ? elements : space_.emissions));
    make(ctc::normalizers_index, sizeof(float) * frames);
    make(ctc::alpha_index, cell * space_.alpha);
    make(ctc::losses_index, sizeof(float) * B);
    make(ctc::result_index, sizeof(float));
    if (!variant_.with_gradient) return;
    make(ctc::beta_index, cell * space_.beta);
    make(ctc::gradient_index, width_of(variant_.type) * elements);
  }

  std::shared_ptr<const ComputePipeline> pipeline(const std::string& name) {
    FunctionConstants constants;
    constants.set(ctc::from_logits_constant, problem_.input == reference::CtcInput::logits);
    constants.set(ctc::of_logits_constant, problem_.variable == reference::CtcVariable::logits);
    constants.set(ctc::with_gradient_constant, variant_.with_gradient);
    return or_throw(device_.new_pipeline(or_throw(library_.new_function(name, constants))));
  }

  void dispatch(ComputeCommandEncoder& encoder, const std::string& name,
                const std::shared_ptr<const ComputePipeline>& pipeline) {
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    const bool is_by_frame = has("emissions") || has("softmax") || has("gradient");
    const bool is_looping = has("columns") || has("device") || has("alpha") || has("beta");
    Size groups{static_cast<std::uint64_t>(problem_.B), is_by_frame ? static_cast<std::uint64_t>(problem_.T) : 1, 1};
    if (name == "ctc_reduce") groups = {1, 1, 1};
    if (groups.count() == 0) return;
    encoder.set_pipeline(pipeline);
    encoder.set_bytes(std::as_bytes(std::span(&shape_, 1)), ctc::shape_index);
    for (const auto& [index, buffer] : buffers_) encoder.set_buffer(buffer, 0, static_cast<std::uint32_t>(index));
    if (has("columns")) {
      const std::uint64_t columns = has("backward") ? ctc::backward_column_count : ctc::forward_column_count;
      encoder.set_threadgroup_memory_length(host::ctc_column_bytes(columns, longest_), 0);
    }
    const std::uint64_t needed = std::min<std::uint64_t>(rounded_up(longest_, 32), 1024);
    const std::uint64_t threads = variant_.group_threads == 0 ? needed : variant_.group_threads;
    encoder.dispatch_threadgroups(groups, {is_looping ? threads : 32, 1, 1});
  }

  Device& device_;
  Library& library_;
  const Problem& problem_;
  const CtcVariant& variant_;
  host::CtcRows tables_;
  host::CtcSpace space_;
  std::uint64_t longest_ = 1;
  ctc::Shape shape_{};
  std::map<BufferIndex, std::shared_ptr<Buffer>> buffers_;
};

}  // namespace

std::uint64_t max_states(SizeClass size) {
  switch (size) {
    case SizeClass::lanes_1:
      return 32;
    case SizeClass::lanes_2:
      return 64;
    case SizeClass::lanes_4:
      return 128;
    case SizeClass::lanes_8:
      return 256;
    case SizeClass::columns:  // beside 2 KiB of the kernel's own
      return (32768 - 2048) / (ctc::backward_column_count * sizeof(ctc::Scaled));
    case SizeClass::device:
    case SizeClass::plain:
      break;
  }
  return std::uint64_t{1} << 32U;
}

std::string name_of(SizeClass size) {
  const char* const names[] = {"1", "2", "4", "8", "columns", "device", "plain"};
  return names[static_cast<std::size_t>(size)];
}

std::string ctc_source_file() {
  return ASSAY_KERNELS "/ctc/ctc.metal";
}

CtcBench::CtcBench(emulator::EmulatorOptions options)
    : device_(std::move(options)), library_(or_throw(device_.new_library_from_file(ctc_source_file()))) {}

CtcBench::CtcBench(emulator::EmulatorOptions options, const std::string& source)
    : device_(std::move(options)), library_(or_throw(device_.new_library(source))) {}

CtcOutcome CtcBench::run(const Problem& problem, const CtcVariant& variant) {
  return Call(device_, *library_, problem, variant).run();
}

std::string CtcBench::reports() const {
  return text_of_reports(device_);
}

}  // namespace assay::metal::test
