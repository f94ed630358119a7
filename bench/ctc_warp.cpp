// The part of warp-ctc's C interface (its include/ctc.h) that a call on the CPU needs. The library is loaded at run
// time.
#include "bench/ctc_warp.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace assay::bench {

namespace {

struct WarpOptions {
  int location = 0;  // the CPU
  union {
    unsigned threads;
    void* stream = nullptr;
  };
  int blank = 0;
};

using ComputeLoss = int (*)(const float* activations, float* gradients, const int* labels, const int* label_lengths,
                            const int* input_lengths, int classes, int batch, float* losses, void* workspace,
                            WarpOptions options);
using WorkspaceSize = int (*)(const int* label_lengths, const int* input_lengths, int classes, int batch,
                              WarpOptions options, std::size_t* bytes);

struct Library {
  ComputeLoss compute_loss = nullptr;
  WorkspaceSize workspace_size = nullptr;
};

Library load() {
  const char* path = std::getenv("ASSAY_WARP_CTC");
  if (path == nullptr) return {};
  void* const handle = dlopen(path, RTLD_NOW);
  if (handle == nullptr) {
    std::fprintf(stderr, "ASSAY_WARP_CTC: %s\n", dlerror());
    return {};
  }
  const Library library = {reinterpret_cast<ComputeLoss>(dlsym(handle, "compute_ctc_loss")),
                           reinterpret_cast<WorkspaceSize>(dlsym(handle, "get_workspace_size"))};
  if (library.compute_loss != nullptr && library.workspace_size != nullptr) return library;
  std::fprintf(stderr, "ASSAY_WARP_CTC: %s has no compute_ctc_loss and get_workspace_size\n", path);
  return {};
}

/// The batch as warp-ctc takes it.
struct Call {
  std::vector<int> labels, label_lengths, input_lengths;
  std::vector<std::byte> workspace;
  WarpOptions options;
};

}  // namespace

std::optional<std::function<void()>> warp_ctc(const CtcBatch<float>& batch, int threads, CtcResult<float>& result) {
  static const Library library = load();
  if (library.compute_loss == nullptr) return std::nullopt;
  const auto call = std::make_shared<Call>();
  call->labels.assign(batch.targets.begin(), batch.targets.end());
  call->label_lengths.assign(batch.target_lengths.begin(), batch.target_lengths.end());
  call->input_lengths.assign(batch.input_lengths.begin(), batch.input_lengths.end());
  call->options.threads = static_cast<unsigned>(threads);
  const int C = static_cast<int>(batch.size.C), B = static_cast<int>(batch.size.B);
  std::size_t bytes = 0;
  int status =
      library.workspace_size(call->label_lengths.data(), call->input_lengths.data(), C, B, call->options, &bytes);
  call->workspace.resize(bytes);
  const auto run = [call, C, B, &batch, &result] {
    return library.compute_loss(batch.logits.data(), result.gradient.data(), call->labels.data(),
                                call->label_lengths.data(), call->input_lengths.data(), C, B, result.loss.data(),
                                call->workspace.data(), call->options);
  };
  if (status == 0) status = run();
  if (status != 0) {
    std::fprintf(stderr, "warp-ctc refused the batch with status %d\n", status);
    return std::nullopt;
  }
  return [run] { static_cast<void>(run()); };
}

}  // namespace assay::bench
