// Runs the threads of a group on fibers of one OS thread.
//
// The fibers are lazy: a stack runs thread after thread, and another is taken only when one of them waits. A thread
// that waits switches straight to the next that can go on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "metal/emulator/simt/fiber.h"

namespace assay::metal::emulator {

class Scheduler {
 public:
  using Body = void (*)(void* context, std::uint32_t thread);
  enum class End { all_ended, stuck, stopped };

  static constexpr std::uint32_t most_threads = 1024;

  /// To be called before run() on an OS thread that may be another than before.
  void move_here();

  /// Calls body(context, thread) for each thread of `order` (numbers below most_threads, each once). `stuck` where all
  /// that have not ended wait.
  End run(std::span<const std::uint32_t> order, Body body, void* context);

  // What follows is called from within a body.
  std::uint32_t current() const { return current_; }
  Fiber& current_fiber() const { return worker_of_[current_]->fiber; }

  /// Lets others run; returns after make_ready() of the current thread, which may have come before.
  void wait() {
    Fiber& mine = current_fiber();
    Fiber& next = has_next() ? take_next() : main_;
    if (&next != &mine) mine.switch_to(next);
  }
  void make_ready(std::span<const std::uint32_t> threads) {
    std::uint32_t* const queue = queue_.data();
    std::uint32_t tail = tail_;
    for (const std::uint32_t thread : threads) queue[tail++ % most_threads] = thread;
    tail_ = tail;
  }

  /// The current thread ends where it is.
  [[noreturn]] void end_current();

  /// All threads end where they are.
  [[noreturn]] void stop();

 private:
  struct Worker {
    explicit Worker(std::size_t index) : fiber(index) {}
    Fiber fiber;
    bool is_fresh = true;  ///< its stack holds nothing, or nothing to go on with
  };

  static void work_on_fiber();
  void work(Worker& mine);
  Worker& give_worker(std::uint32_t thread);
  Fiber& take_next() {
    current_ = queue_[head_++ % most_threads];
    Worker* const worker = worker_of_[current_];
    return (worker ? *worker : give_worker(current_)).fiber;
  }
  bool has_next() const { return head_ != tail_; }

  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> idle_;
  std::vector<Worker*> worker_of_ = std::vector<Worker*>(most_threads);
  std::vector<std::uint32_t> queue_ = std::vector<std::uint32_t>(most_threads);
  std::uint32_t head_ = 0, tail_ = 0;
  std::uint32_t current_ = 0, running_ = 0;  ///< running_: threads that have not ended
  bool is_stopped_ = false;
  Body body_ = nullptr;
  void* context_ = nullptr;
  Fiber main_;
};

}  // namespace assay::metal::emulator
