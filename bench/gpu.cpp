// The production kernels on a GPU beside PyTorch's, in one run, as a table for each operation.
//
//   us, ms          medians of device time, gaps between kernels included; the buffers are on the device
//   wall            of CTC: medians of the time from encoding to the end of the commands
//   cuDNN, native   of CTC: sums of the device time of PyTorch's kernels (torch.profiler), which leave out their gaps
//   torch           of cross-entropy: cross_entropy(hidden @ weight.T), forward and backward, TF32 off (CUDA events)
//   gesvdj, gesvda  of the SVD: torch.linalg.svd with these drivers of cuSOLVER (CUDA events)
//   ratio           the faster peer / ours
//   error           of CTC: the largest of dL/dlogits of row 0 against 30 digits; of the SVD: the largest of a singular
//                   value relative to itself, against float64 on the CPU
//   MiB             of cross-entropy: the most memory beyond inputs and gradients
//
//   ./assay bench gpu [--benchmark_filter=REGEX]
//
// docs/gpus.md shows what it printed. Without PyTorch or without CUDA in it the columns of peers are empty.
#include "bench/gpu.h"

#include <benchmark/benchmark.h>

#include <cstdio>

#include "bench/program.h"
#include "metal/device/or_throw.h"
#include "metal/devices/devices.h"

namespace assay::bench {
namespace {

void run_table(const std::string& title, const std::vector<Column>& columns) {
  Table table(title, columns);
  benchmark::RunSpecifiedBenchmarks(&table);
  benchmark::ClearRegisteredBenchmarks();
  std::printf("\n");
}

void run() {
  const auto device = std::make_shared<TimedDevice>(metal::or_throw(metal::open_device(metal::best_device())));
  run_table("CTC loss and gradient on " + device->name() + ", float32, us", add_gpu_ctc(device));
  run_table("SVD, float32, ms", add_gpu_svd(device));
  run_table("Linear cross-entropy, loss and gradients, ms", add_gpu_cce(device));
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  return assay::bench::run_program("gpu", argc, argv, assay::bench::run);
}
