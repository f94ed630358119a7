// Does tasks in processes, a few at a time, and hands out what each task sends.
//
// A process is a copy of this one at the moment where the task begins (fork), so that a task needs no description, and
// a task's changes to memory end with the task. A copy has no threads: none may run when a task begins. The copies
// ignore SIGINT and SIGTERM, and stop when the original tells them.
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
  /// A task's connection to the original process.
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

  /// The next text that the task sends. None if the task ends without another text, or if its process does not start or
  /// dies. Calls stop() several times a second; once stop() is true, no task begins and all tasks are told to end.
  /// Kills the processes of tasks with smaller numbers.
  std::optional<std::string> next(std::int64_t task, const std::function<bool()>& stop);

 private:
  struct Task {
    pid_t process = -1;  ///< -1: none is at work
    int pipe = -1;
    std::string bytes = {};  ///< the part of a text that has arrived so far
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
  std::size_t range_ = 0;              ///< the index of a range of order_; all tasks of earlier ranges have begun
  int going_on_ = -1;                  ///< an end of a pipe, which is closed to tell the tasks to stop
  int watched_ = -1;                   ///< the other end of that pipe, which the tasks poll
  std::map<std::int64_t, Task> open_;  ///< tasks that have begun and may be asked for
};

}  // namespace assay::validation
