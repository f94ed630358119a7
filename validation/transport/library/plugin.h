// A kernel in a shared library, called in a separate process: a crash, an endless loop and an out-of-bounds write
// become exceptions, and the next call starts a new process. docs/plugins.md.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "validation/transport/library/protocol.h"
#include "validation/transport/library/shared_arrays.h"
#include "validation/transport/library/worker_process.h"

namespace assay::validation::transport {

/// Whether a kernel's name is a shared library: the name has a '/' or ends in .so or .dylib.
bool is_library(const std::string& name);

/// Sets the time limit of all further calls of plug-ins, in seconds of processor time (CallDeadline). The default
/// is 10.
void set_time_limit(double seconds);

class Plugin {
 public:
  /// Loads the library's kernel of the operation. Throws std::invalid_argument, naming the file and what is wrong with
  /// it, and std::runtime_error if loading ends the process or exceeds the time limit.
  /// `operations` are the names of all operations, for a message about a library of another operation.
  Plugin(const std::string& path, std::string operation, std::vector<std::string> operations);

  const std::string& path() const { return path_; }

  /// What the library is, as its process found.
  const Answer& loaded() const;

  /// The name of the library's constant, for messages: "assay_ctc".
  std::string symbol() const;

  /// What the library declares; fields that its version of the header lacks are 0. Throws std::invalid_argument if
  /// the declaration has fields that this program does not know.
  template <class Kernel>
  Kernel declaration() const {
    Kernel kernel{};
    copy_declaration(&kernel, sizeof kernel);
    return kernel;
  }

  /// Calls the kernel on the arrays.
  /// Throws std::invalid_argument with the message of a refusal, KernelDied, and Unsupported where the kernel declines,
  /// or dies of arrays past 2^32 elements: it may be right, and lack memory.
  void call(Request request, std::span<const Array> arrays, std::int64_t alignment) const;

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  std::unique_ptr<WorkerProcess> start() const;
  WorkerProcess& process() const;
  WorkerProcess::Reply ask(const Request& request) const;
  void take(const Answer& answer) const;
  static void give_residues(const Request& request, std::span<const Array> arrays, std::string_view residues);
  void copy_declaration(void* kernel, std::size_t size) const;
  [[noreturn]] void died(const std::string& how) const;
  Seconds time_limit() const;

  std::string path_;
  std::string library_;  ///< the path from the root, which dlopen does not search for
  std::string operation_;
  std::vector<std::string> operations_;
  std::string name_ = "the plug-in";  ///< for messages
  mutable std::mutex one_call_at_a_time_;
  mutable SharedArrays memory_;
  mutable Answer loaded_;
  mutable std::unique_ptr<WorkerProcess> process_;
  mutable bool has_hung_ = false;
  mutable bool hangs_waiting_ = false;  ///< when it last hung, it hardly used the processor
  mutable Seconds longest_{0};          ///< the longest call that returned
};

}  // namespace assay::validation::transport
