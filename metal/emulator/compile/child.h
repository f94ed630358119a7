// Starts a program that ends with this one: also when this one is killed, which leaves it no time to end its children.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace assay::metal::emulator {

/// What a child may use at most; 0: as much as this process. A lower limit of this process stays.
struct ChildLimits {
  int seconds = 0;                 ///< on the clock, for who waits for it: it may wait for something, as for a pipe
  std::uint64_t cpu_seconds = 0;   ///< then it is killed
  std::uint64_t memory_bytes = 0;  ///< of addresses
  std::uint64_t file_bytes = 0;    ///< of each file that it writes
};

struct ChildProgram {
  std::vector<std::string> words;              ///< the program, which is looked for on the PATH, and its arguments
  int input = -1, output = -1, messages = -1;  ///< descriptors of its standard streams
  bool has_own_group = false;                  ///< the keys that interrupt a program do not reach it
  ChildLimits limits;
};

/// The process, for waitpid(). The calling thread must wait for it: the child is killed when this thread ends. -1, with
/// the reason in errno, if the program cannot be started.
pid_t start_child(const ChildProgram& program);

}  // namespace assay::metal::emulator
