#include "bench/ctc_torch.h"

#include <cstdlib>
#include <sstream>
#include <string>

#include "bench/exchange.h"
#include "bench/python.h"

namespace assay::bench {

std::optional<TorchRun> run_torch(const CtcBatch<float>& batch, int threads, int repetitions, bool tuned) {
  const TemporaryDirectory directory;
  if (python_with_torch().empty() || directory.path().empty()) return std::nullopt;
  write(directory / "logits", batch.logits);
  write(directory / "targets", batch.targets);
  write(directory / "target_lengths", batch.target_lengths);
  std::ostringstream command;
  if (tuned) command << "MALLOC_MMAP_THRESHOLD_=4000000000 MALLOC_TRIM_THRESHOLD_=4000000000 ";
  command << "OMP_NUM_THREADS=" << threads << " " << python_with_torch() << " " << ASSAY_BENCH_DIRECTORY
          << "/ctc_torch.py " << directory.path() << " " << batch.size.T << " " << batch.size.B << " " << batch.size.C
          << " " << threads << " " << repetitions;
  if (std::system(command.str().c_str()) != 0) return std::nullopt;
  TorchRun run = {0.0, CtcResult<float>(batch)};
  std::vector<double> ms(1);
  if (!read(directory / "ms", ms) || !read(directory / "loss", run.result.loss)) return std::nullopt;
  if (!read(directory / "gradient", run.result.gradient)) return std::nullopt;
  run.ms = ms[0];
  return run;
}

}  // namespace assay::bench
