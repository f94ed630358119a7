#include "bench/cce_torch.h"

#include <sstream>

#include "bench/python.h"

namespace assay::bench {

std::optional<CceTorchRun> run_cce_torch(CceSize size, const std::string& dtype, int threads, int repetitions,
                                         bool tuned) {
  if (python_with_torch().empty()) return std::nullopt;
  std::ostringstream command;
  if (tuned) command << "MALLOC_MMAP_THRESHOLD_=4000000000 MALLOC_TRIM_THRESHOLD_=4000000000 ";
  command << "OMP_NUM_THREADS=" << threads << " " << python_with_torch() << " " << ASSAY_BENCH_DIRECTORY
          << "/cce_torch.py " << size.N << " " << size.H << " " << size.V << " " << dtype << " " << threads << " "
          << repetitions;
  const Answer answer = answer_of(command.str());
  CceTorchRun run = {};
  if (answer == nullptr || std::fscanf(answer.get(), "%lf %lf", &run.seconds, &run.MiB) != 2) return std::nullopt;
  return run;
}

}  // namespace assay::bench
