// The emulator's speed: a kernel with a barrier in every step, kernels of loads and stores, a switch of fibers, and the
// first compilation of a kernel.
//
//   items_per_second: thread-steps of CtcAlpha (a group's 64 threads times its T = 150 steps), threads of Copy, Axpy and
//   Transpose, and resume-and-yield pairs of Fibers; by the process's CPU time, all on one OS thread. The time of
//   Compile is the processor time of this process and of clang, with nothing in the cache but Metal's library.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "metal/device/or_throw.h"
#include "metal/emulator/compile/compile.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/emulator_device.h"
#include "metal/emulator/simt/fiber.h"

namespace {

using namespace assay::metal;  // NOLINT(google-build-using-namespace): this file is a program of its own

/// Alpha of CTC: a thread for each state, a barrier for each frame, two rows in threadgroup memory. In probabilities it
/// is multiply-add, and the runtime counts; in logarithms it is three exp and one log a step.
constexpr const char* ctc_alpha = R"(
#include <metal_stdlib>
using namespace metal;

constant constexpr uint C = 28;

struct Probabilities {
  static constexpr constant float zero = 0;
  static float sum(float a, float b, float c) { return a + b + c; }
  static float product(float a, float b) { return a * b; }
};

struct Logarithms {
  static constexpr constant float zero = -INFINITY;
  static float sum(float a, float b, float c) {
    const float high = max(max(a, b), c);
    return high == -INFINITY ? high : high + log(exp(a - high) + exp(b - high) + exp(c - high));
  }
  static float product(float a, float b) { return a + b; }
};

template <class Numbers>
kernel void ctc_alpha(device const float* emissions [[buffer(0)]], device const int* classes [[buffer(1)]],
                      device float* alpha [[buffer(2)]], constant uint& T [[buffer(3)]], constant uint& L [[buffer(4)]],
                      uint b [[threadgroup_position_in_grid]], uint B [[threadgroups_per_grid]],
                      uint s [[thread_index_in_threadgroup]]) {
  threadgroup float rows[2][64];
  const bool is_state = s < L;
  const int mine = is_state ? classes[s] : 0;
  const bool skips = is_state && s >= 2 && mine != 0 && mine != classes[s - 2];
  rows[0][s] = is_state && s < 2 ? emissions[b * C + mine] : Numbers::zero;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint t = 1; t < T; ++t) {
    const threadgroup float* from = rows[(t - 1) % 2];
    const float sum = Numbers::sum(from[s], s >= 1 ? from[s - 1] : Numbers::zero, skips ? from[s - 2] : Numbers::zero);
    rows[t % 2][s] = is_state ? Numbers::product(sum, emissions[(t * B + b) * C + mine]) : Numbers::zero;
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (is_state) alpha[b * L + s] = rows[(T - 1) % 2][s];
}

template [[host_name("probabilities")]] kernel void ctc_alpha<Probabilities>(
    device const float*, device const int*, device float*, constant uint&, constant uint&, uint, uint, uint);
template [[host_name("logarithms")]] kernel void ctc_alpha<Logarithms>(
    device const float*, device const int*, device float*, constant uint&, constant uint&, uint, uint, uint);
)";

/// Kernels that load and store, and do little else.
constexpr const char* moves = R"(
#include <metal_stdlib>
using namespace metal;
kernel void copy(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  y[i] = x[i];
}
kernel void transpose(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                      uint2 p [[thread_position_in_grid]], uint2 size [[threads_per_grid]]) {
  y[p.x * size.y + p.y] = x[p.y * size.x + p.x];
}
kernel void axpy(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant float& a [[buffer(2)]],
                 uint i [[thread_position_in_grid]]) {
  y[i] += a * x[i];
}
)";

/// A kernel on a device of one OS thread.
class Kernel {
 public:
  Kernel(const char* source, const char* name, bool is_checked) : device_(options(is_checked)) {
    pipeline_ = or_throw(
        device_.new_pipeline(or_throw(or_throw(device_.new_library(std::string(source)))->new_function(name))));
  }
  template <class T>
  void bind(const std::vector<T>& values) {
    buffers_.push_back(or_throw(device_.new_buffer(std::as_bytes(std::span(values)), "")));
  }
  void run(Size grid, Size group) {
    const auto commands = queue_->command_buffer();
    const auto encoder = or_throw(commands->compute_encoder());
    encoder->set_pipeline(pipeline_);
    for (std::uint32_t index = 0; index < buffers_.size(); ++index) encoder->set_buffer(buffers_[index], 0, index);
    encoder->dispatch_threads(grid, group);
    if (!encoder->end_encoding() || !commands->commit() || !commands->wait_until_completed() || commands->error() ||
        !device_.reports().empty())
      throw std::runtime_error("the kernel did not run cleanly");
  }

 private:
  static emulator::EmulatorOptions options(bool is_checked) {
    emulator::EmulatorOptions options;
    options.is_checked = is_checked;
    options.os_threads = 1;
    return options;
  }

  emulator::EmulatorDevice device_;
  std::shared_ptr<CommandQueue> queue_ = device_.new_command_queue();
  std::shared_ptr<const ComputePipeline> pipeline_;
  std::vector<std::shared_ptr<Buffer>> buffers_;
};

void ctc_alpha_steps(benchmark::State& state, const char* name, bool is_checked) {
  const std::uint32_t T = 150, L = 61, B = 64, C = 28, threads = 64;
  Kernel kernel(ctc_alpha, name, is_checked);
  std::vector<std::int32_t> classes(L, 0);
  for (std::uint32_t s = 1; s < L; s += 2) classes[s] = static_cast<std::int32_t>(1 + s * 7 % 27);
  kernel.bind(std::vector<float>(std::size_t{T} * B * C, 0.4F));
  kernel.bind(classes);
  kernel.bind(std::vector<float>(std::size_t{B} * L));
  kernel.bind(std::vector<std::uint32_t>{T});
  kernel.bind(std::vector<std::uint32_t>{L});
  for (auto round : state) kernel.run({std::uint64_t{B} * threads}, {threads});
  state.SetItemsProcessed(state.iterations() * T * B * threads);
}
BENCHMARK_CAPTURE(ctc_alpha_steps, unchecked, "probabilities", false)
    ->Name("CtcAlpha/probabilities/unchecked")
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(ctc_alpha_steps, checked, "probabilities", true)
    ->Name("CtcAlpha/probabilities/checked")
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(ctc_alpha_steps, unchecked_log, "logarithms", false)
    ->Name("CtcAlpha/logarithms/unchecked")
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(ctc_alpha_steps, checked_log, "logarithms", true)
    ->Name("CtcAlpha/logarithms/checked")
    ->MeasureProcessCPUTime();

void move(benchmark::State& state, const char* name, Size grid, Size group, bool is_checked) {
  const std::size_t threads = grid.count();
  Kernel kernel(moves, name, is_checked);
  kernel.bind(std::vector<float>(threads, 1.0F));
  kernel.bind(std::vector<float>(threads, 1.0F));
  kernel.bind(std::vector<float>{2.0F});
  for (auto round : state) kernel.run(grid, group);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(threads));
}
constexpr std::uint64_t side = 512;
BENCHMARK_CAPTURE(move, copy, "copy", {side * side}, {256}, false)->Name("Copy/unchecked")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(move, copy, "copy", {side * side}, {256}, true)->Name("Copy/checked")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(move, axpy, "axpy", {side * side}, {256}, false)->Name("Axpy/unchecked")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(move, axpy, "axpy", {side * side}, {256}, true)->Name("Axpy/checked")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(move, transpose, "transpose", {side, side}, {16, 16}, false)
    ->Name("Transpose/unchecked")
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(move, transpose, "transpose", {side, side}, {16, 16}, true)
    ->Name("Transpose/checked")
    ->MeasureProcessCPUTime();

double processor_seconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const timeval& part : {used.ru_utime, used.ru_stime})
      seconds += static_cast<double>(part.tv_sec) + 1e-6 * static_cast<double>(part.tv_usec);
  }
  return seconds;
}

/// A kernel of a file for the first time: BENCH_METAL=FILE:KERNEL, for example steel_gemm_fused.metal of MLX.
void compile(benchmark::State& state) {
  const char* const named = std::getenv("BENCH_METAL");  // NOLINT(concurrency-mt-unsafe): nothing here writes it
  const std::string words = named == nullptr ? "" : named;
  const std::size_t colon = words.rfind(':');
  if (colon == std::string::npos) return state.SkipWithError("expected BENCH_METAL=FILE:KERNEL");
  for (auto round : state) {
    const auto folder = or_throw(emulator::TemporaryFolder::make(std::filesystem::temp_directory_path()));
    emulator::CompileOptions options;
    options.cache = folder.path();
    or_throw(emulator::compile_source(moves, "moves.metal", options));  // precompiles the library
    options.kernels = {words.substr(colon + 1)};
    const double begin = processor_seconds();
    or_throw(emulator::compile_file(words.substr(0, colon), options));
    state.SetIterationTime(processor_seconds() - begin);
  }
}
BENCHMARK(compile)->Name("Compile")->UseManualTime()->Iterations(3);

emulator::Fiber* home = nullptr;
emulator::Fiber* away = nullptr;

void resume_and_yield(benchmark::State& state) {
  emulator::Fiber here, there(0);
  home = &here;
  away = &there;
  there.reset([] {
    emulator::Fiber::arrive();
    while (true) away->switch_to(*home);
  });
  for (auto round : state) here.switch_to(there);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(resume_and_yield)->Name("Fibers/resume_and_yield");

}  // namespace

BENCHMARK_MAIN();
