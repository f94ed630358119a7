// Does tasks in processes, a few at a time, and hands out what each task sends.
//
// A process is a copy of this one at the moment where the task begins (fork), so that a task needs no description, and
// whatever a task does to memory is gone with the task. A copy has no threads: none may be at work when a task begins.
// SIGINT and SIGTERM are the original's, which tells the copies to stop.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::validation {

class TaskProcesses {
 public:
  /// What a task has of the original.
  struct Original {
    std::function<void(const std::string& text)> send;
    std::function<bool()> stop;  ///< whether the task is to end: the original was stopped, or has died
  };
  using Work = std::function<void(std::int64_t task, const Original& original)>;

  /// Numbers of tasks, from the first to before the second.
  using Range = std::pair<std::int64_t, std::int64_t>;

  /// `at_once` tasks are done at a time. The one that is asked for begins before all others, which begin in the given
  /// order: long ones early, so that at the end no process waits for another.
  TaskProcesses(std::vector<Range> order, std::size_t at_once, Work work);
  TaskProcesses(const TaskProcesses&) = delete;
  TaskProcesses& operator=(const TaskProcesses&) = delete;
  /// Ends the processes that are still at work.
  ~TaskProcesses();

  /// The next text that the task sends. None if it ends without another one, or if its process does not start or dies.
  /// Once stop(), which is asked several times a second, is true, no task begins, and all are told to end. Tasks of
  /// smaller numbers are ended.
  std::optional<std::string> next(std::int64_t task, const std::function<bool()>& stop);

 private:
  struct Task {
    pid_t process = -1;  ///< -1: none is at work
    int pipe = -1;
    std::string bytes = {};  ///< of a text that has not come in full
    std::deque<std::string> texts = {};
  };

  void begin_tasks(std::int64_t asked);
  std::optional<std::int64_t> next_in_order(std::int64_t asked);
  Task begin(std::int64_t index);
  [[noreturn]] void work(std::int64_t index, int pipe) const;
  void tell_to_stop();
  void listen();
  static void receive(Task& task);
  static void end(Task& task);

  std::vector<Range> order_;
  std::size_t at_once_;
  Work work_;
  std::size_t range_ = 0;              ///< of the order: earlier ones have begun
  int going_on_ = -1;                  ///< the end of a pipe that is open until the tasks are to stop
  int watched_ = -1;                   ///< its other end, which the tasks watch
  std::map<std::int64_t, Task> open_;  ///< tasks that have begun and may be asked for
};

}  // namespace assay::validation
