#include <sstream>

#include "bench/python.h"
#include "bench/svd_peers.h"

namespace assay::bench {

std::optional<double> torch_svd_seconds(const std::string& type, std::int64_t batch, std::int64_t n, int threads,
                                        int repetitions) {
  if (python_with_torch().empty()) return std::nullopt;
  std::ostringstream command;
  command << "OMP_NUM_THREADS=" << threads << " " << python_with_torch() << " " << ASSAY_BENCH_DIRECTORY
          << "/svd_torch.py " << type << " " << batch << " " << n << " " << threads << " " << repetitions;
  const Answer answer = answer_of(command.str());
  double seconds = 0.0;
  if (answer == nullptr || std::fscanf(answer.get(), "%lf", &seconds) != 1) return std::nullopt;
  return seconds;
}

}  // namespace assay::bench
