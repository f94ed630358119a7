#include "bench/cce_torch.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>

namespace assay::bench {

namespace {

/// The first Python that imports torch; empty where none does.
const std::string& python() {
  static const std::string found = [] {
    for (const char* candidate : {"python3", "/usr/bin/python3"})
      if (std::system((std::string(candidate) + " -c 'import torch' >/dev/null 2>&1").c_str()) == 0)
        return std::string(candidate);
    return std::string();
  }();
  return found;
}

}  // namespace

std::optional<CceTorchRun> run_cce_torch(CceSize size, const std::string& dtype, int threads, int repetitions,
                                         bool tuned) {
  if (python().empty()) return std::nullopt;
  std::ostringstream command;
  if (tuned) command << "MALLOC_MMAP_THRESHOLD_=4000000000 MALLOC_TRIM_THRESHOLD_=4000000000 ";
  command << "OMP_NUM_THREADS=" << threads << " " << python() << " " << ASSAY_BENCH_DIRECTORY << "/cce_torch.py "
          << size.N << " " << size.H << " " << size.V << " " << dtype << " " << threads << " " << repetitions;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> answer(popen(command.str().c_str(), "r"), pclose);
  CceTorchRun run = {};
  if (answer == nullptr || std::fscanf(answer.get(), "%lf %lf", &run.seconds, &run.MiB) != 2) return std::nullopt;
  return run;
}

}  // namespace assay::bench
