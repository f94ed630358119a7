// The production kernels on a GPU beside PyTorch's (cuDNN's and its own), in one run, as a table.
//
//   us              medians of device time: of each kernel alone, and of all in one command buffer, gaps included
//   wall            medians of the time from encoding to the end of the commands; the buffers are on the device
//   cuDNN, native   sums of the device time of PyTorch's kernels (torch.profiler), which leave out their gaps
//   ratio           the faster of the two / ours
//   error           the largest of dL/dlogits of row 0 against 30 digits
//
//   ./assay bench gpu [--benchmark_filter=REGEX]
//
// docs/nvidia.md shows what it printed. Without PyTorch or without CUDA in it the columns of peers are empty.
#include "bench/gpu.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>

#include "bench/table.h"
#include "metal/device/or_throw.h"
#include "metal/devices/devices.h"

namespace assay::bench {
namespace {

int run(int argc, char** argv) {
  const Gpu gpu{metal::or_throw(metal::open_device(metal::best_device()))};
  add_gpu_ctc(gpu);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  Table table("Loss and gradient on " + gpu.device->name() + ", float32, microseconds.", {{"emissions", "%.1f"},
                                                                                          {"recursion", "%.1f"},
                                                                                          {"gradient", "%.1f"},
                                                                                          {"all", "%.1f"},
                                                                                          {"wall", "%.0f"},
                                                                                          {"cuDNN", "%.0f"},
                                                                                          {"native", "%.0f"},
                                                                                          {"ratio", "%.1f"},
                                                                                          {"error", "%.1e"},
                                                                                          {"cuDNN error", "%.0e"},
                                                                                          {"native error", "%.0e"}});
  benchmark::RunSpecifiedBenchmarks(&table);
  return 0;
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  try {
    return assay::bench::run(argc, argv);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "bench gpu: %s\n", problem.what());
    return 1;
  }
}
