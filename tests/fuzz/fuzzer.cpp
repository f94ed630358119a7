// assay_fuzz TARGET [FOLDER] [options of libFuzzer]: fuzzes one target; an empty FOLDER gets its seeds first.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "tests/fuzz/targets.h"

namespace {

using assay::validation::fuzz::Target;

const Target* chosen = nullptr;

const Target* target_called(const char* name) {
  for (const Target& one : assay::validation::fuzz::targets())
    if (std::strcmp(one.name, name) == 0) return &one;
  return nullptr;
}

void write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  if (!std::filesystem::is_empty(folder)) return;
  int number = 0;
  for (const std::string& seed : chosen->seeds())
    std::ofstream(folder / ("seed-" + std::to_string(number++)), std::ios::binary) << seed;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  chosen = *argc > 1 ? target_called((*argv)[1]) : nullptr;
  if (chosen == nullptr) {
    std::fputs("assay_fuzz TARGET [FOLDER] [options of libFuzzer]: expected one of", stderr);
    for (const Target& one : assay::validation::fuzz::targets()) std::fprintf(stderr, " %s", one.name);
    std::fputs("\n", stderr);
    std::exit(2);
  }
  (*argv)[1] = (*argv)[0];
  ++*argv;
  --*argc;
  if (*argc > 1 && (*argv)[1][0] != '-' && !std::filesystem::is_regular_file((*argv)[1])) write_seeds((*argv)[1]);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  chosen->run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
