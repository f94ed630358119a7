#include "bench/ctc_torch.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "bench/python.h"

namespace assay::bench {

namespace {

namespace fs = std::filesystem;

/// A directory of its own that goes away with it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "assay-ctc-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  fs::path operator/(const char* name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

template <class Element>
void write(const fs::path& to, const std::vector<Element>& values) {
  std::ofstream file(to, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(Element)));
}

template <class Element>
bool read(const fs::path& from, std::vector<Element>& values) {
  std::ifstream file(from, std::ios::binary);
  const auto bytes = static_cast<std::streamsize>(values.size() * sizeof(Element));
  file.read(reinterpret_cast<char*>(values.data()), bytes);
  return file.gcount() == bytes;
}

}  // namespace

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
