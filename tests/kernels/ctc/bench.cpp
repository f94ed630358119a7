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

/// The names of the kernels of one variant for C classes, in the order of their dispatches, but for ctc_reduce.
std::vector<std::string> kernels_of(const CtcVariant& variant, std::int64_t C) {
  const std::string size = name_of(variant.size);
  if (variant.size == SizeClass::plain) {
    if (!variant.with_gradient) return {"ctc_plain_log_softmax_" + variant.type, "ctc_plain_alpha"};
    return {"ctc_plain_log_softmax_" + variant.type, "ctc_plain_alpha", "ctc_plain_beta",
            "ctc_plain_gradient_" + variant.type};
  }
  const std::string emissions = variant.emissions.empty() && C > ctc::frame_classes ? "held_" : variant.emissions;
  std::vector<std::string> names = {"ctc_emissions_" + emissions + variant.type, "ctc_recursion_" + size};
  if (variant.with_gradient) names.push_back("ctc_gradient_" + variant.type);
  return names;
}

/// One problem on the device: its buffers and its dispatches.
class Call {
 public:
  Call(Device& device, Library& library, const Problem& problem, const CtcVariant& variant)
      : device_(device), library_(library), problem_(problem), variant_(variant) {
    const auto path = variant.size == SizeClass::plain ? host::CtcPath::plain : host::CtcPath::production;
    const auto statement = host::ctc_statement(problem, variant.with_gradient, path);
    tables_ = or_throw(host::ctc_rows(problem));
    const auto chunks = or_throw(host::ctc_chunks(tables_.rows, statement, host::CtcRoom::of({}, 0)));
    space_ = chunks.space;
    if (!chunks.chunks.empty()) longest_ = chunks.chunks.front().longest;
    shape_ = {.T = problem.T,
              .B = problem.B,
              .C = problem.C,
              .first_row = 0,
              .row_count = static_cast<std::uint32_t>(problem.B),
              .zero_infinity = problem.zero_infinity ? 1U : 0U,
              .first_step = 0,
              .steps = static_cast<std::uint32_t>(problem.T),
              .is_aligned = problem.C % 4 == 0 ? 1U : 0U};
    make_buffers();
  }

  CtcOutcome run() {
    std::vector<std::shared_ptr<const ComputePipeline>> pipelines;
    const bool is_reduced = problem_.reduction != reference::Reduction::none;
    std::vector<std::string> names = kernels_of(variant_, problem_.C);
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
    const Launch launch = launch_of(name);
    if (launch.groups.count() == 0) return;
    encoder.set_pipeline(pipeline);
    encoder.set_bytes(std::as_bytes(std::span(&shape_, 1)), ctc::shape_index);
    for (const auto& [index, buffer] : buffers_) encoder.set_buffer(buffer, 0, static_cast<std::uint32_t>(index));
    encoder.set_threadgroup_memory_length(
        name.find("held") == std::string::npos ? 0 : host::ctc_held_bytes(static_cast<std::uint64_t>(problem_.C)), 0);
    encoder.dispatch_threadgroups(launch.groups, {launch.threads, 1, 1});
  }

  struct Launch {
    Size groups;
    std::uint64_t threads;
  };

  Launch launch_of(const std::string& name) const {
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    const auto B = static_cast<std::uint64_t>(problem_.B), T = static_cast<std::uint64_t>(problem_.T);
    constexpr std::uint64_t frames = 3;  // of a group; seldom a divisor of T
    if (name == "ctc_reduce") return {{1, 1, 1}, 32};
    if (has("wide") || has("held")) return {{B, T, 1}, ctc::wide_count};
    if (has("plain_log_softmax") || has("plain_gradient")) return {{B, T, 1}, 32};
    if (has("emissions") || has("gradient")) return {{B, (T + frames - 1) / frames, 1}, 32 * frames};
    return {{B, has("recursion") && variant_.with_gradient ? 2U : 1U, 1}, recursion_threads()};
  }

  std::uint64_t recursion_threads() const {
    if (variant_.group_threads != 0) return variant_.group_threads;
    const std::uint64_t states[] = {2, 4, 8, 1, 1};
    const std::uint64_t share = states[static_cast<std::size_t>(variant_.size)];
    return std::min<std::uint64_t>(rounded_up((longest_ + share - 1) / share, 32), 1024);
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
    case SizeClass::states_2:
      return 2 * 1024;
    case SizeClass::states_4:
      return 4 * 1024;
    case SizeClass::states_8:
      return 8 * 1024;
    case SizeClass::device:
    case SizeClass::plain:
      break;
  }
  return std::uint64_t{1} << 32U;
}

std::string name_of(SizeClass size) {
  const char* const names[] = {"2", "4", "8", "device", "plain"};
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
