// Starts a child process that loads one plug-in, exchanges messages within a time limit, and ends the process.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "validation/core/call_deadline.h"
#include "validation/core/file.h"
#include "validation/transport/library/protocol.h"

namespace assay::validation::transport {

/// "was ended by signal 6 (Aborted)"
std::string ended_by(int signal);

class WorkerProcess {
 public:
  /// Throws std::runtime_error if the worker cannot be found or started.
  WorkerProcess(const std::string& library, const std::string& operation, const std::vector<std::string>& operations,
                int memory);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  /// Kills the process, and those that the plug-in has started.
  ~WorkerProcess();

  /// The limit of a call that begins now.
  CallDeadline deadline(double seconds, double patience = CallDeadline::patience_for_waiting) const {
    return {seconds, process_, patience};
  }

  /// Does not fail if the process has ended, or takes no more requests until the deadline: receive reports that.
  void send(Request request, const CallDeadline& deadline, bool (*stop)());

  struct Reply {
    std::optional<Answer> answer;
    std::string findings = {};  ///< Answer::findings_bytes
    bool in_time = true;        ///< without an answer: false if the time is up, true if the process has ended
    bool is_forged = false;     ///< without an answer: something came that is none to the request
  };
  /// Waits until the deadline, or until `stop` returns true; `stop` is asked every tenth of a second.
  Reply receive(const CallDeadline& deadline, bool (*stop)());

  /// How the process ended: "called exit(0)", "was ended by signal 6 (Aborted)". Kills what it has started.
  std::string ending();

  /// The last lines that the process printed, to append to a message; empty if there are none.
  std::string last_words() const;

 private:
  enum class Got { all, late, ended };
  Got receive(void* data, std::size_t size, const CallDeadline& deadline, bool (*stop)());
  bool has_ended() const;
  bool is_readable() const;
  /// Waits for the process, which has ended or been killed, and returns its status.
  int reap();

  metal::Descriptor socket_;
  metal::Descriptor output_;  ///< the worker's stdout and stderr
  pid_t process_ = -1;
  std::uint64_t call_ = 0;     ///< of the request that was sent last
  bool has_findings_ = false;  ///< whether that asked for any
  bool was_early_ = false;     ///< whether something lay in the socket before it was sent
  std::string mark_;           ///< of the process and those that the plug-in starts
};

}  // namespace assay::validation::transport
