// PyTorch, for benchmarks: the Python that has it, and the answer of a script of this folder.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace assay::bench {

/// The first Python that imports torch; empty where none does.
inline const std::string& python_with_torch() {
  static const std::string found = [] {
    for (const char* candidate : {"python3", "/usr/bin/python3"})
      if (std::system((std::string(candidate) + " -c 'import torch' >/dev/null 2>&1").c_str()) == 0)
        return std::string(candidate);
    return std::string();
  }();
  return found;
}

/// A process and what it writes.
using Answer = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

inline Answer answer_of(const std::string& command) {
  return {popen(command.c_str(), "r"), pclose};
}

}  // namespace assay::bench
