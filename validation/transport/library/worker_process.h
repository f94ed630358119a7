// A child process that has loaded one plug-in: started, spoken to within a time limit, and ended.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "validation/transport/library/file.h"
#include "validation/transport/library/protocol.h"

namespace assay::validation::transport {

using Clock = std::chrono::steady_clock;

/// The text without what would move a terminal; ends of lines stay.
std::string printable(std::string text);

class WorkerProcess {
 public:
  /// Throws std::runtime_error where the worker is not to be found or started.
  WorkerProcess(const std::string& library, const std::string& operation, const std::vector<std::string>& operations,
                int memory);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  /// Ends the process, whatever it does.
  ~WorkerProcess();

  /// A process that is gone is noticed by receive.
  void send(const Request& request);

  struct Reply {
    std::optional<Answer> answer;
    bool in_time = true;  ///< without an answer: false, it is silent; true, it is gone
  };
  Reply receive(Clock::time_point deadline);

  /// How a process that is gone ended: "called exit(0)", "was ended by signal 6 (Aborted)".
  std::string ending();

  /// The last lines that it printed, to be put after a message; empty where there are none.
  std::string last_words() const;

 private:
  File socket_;
  File output_;  ///< its stdout and stderr
  pid_t process_ = -1;
};

}  // namespace assay::validation::transport
