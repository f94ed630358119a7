// Runs the threads of a group on fibers of one OS thread.
//
// The fibers are lazy: a stack runs thread after thread, and another is taken only when one of them waits. A thread
// that waits switches straight to the next that can go on. Shaders do so by themselves where they can: abi::Round.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "metal/emulator/shader_abi.h"
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

  /// What shaders are told.
  abi::Round& round() { return round_; }

  // What follows is called from within a body.
  std::uint32_t current() const { return round_.turn->thread; }
  Fiber& current_fiber() const { return worker_of_[current()]->fiber; }

  /// Those that have given way by themselves since this was called last: they wait. To be asked before all that
  /// follows.
  std::span<const abi::Turn> gone() {
    const std::span<const abi::Turn> gone(taken_, round_.turn);
    if (!gone.empty()) head_ = after(taken_ += gone.size());
    return gone;
  }

  /// Lets others run; returns after make_ready() of the current thread, which may have come before.
  void wait() {
    Fiber& mine = current_fiber();
    Fiber& next = has_next() ? take_next() : main_;
    if (&next != &mine) mine.switch_to(next);
  }
  void make_ready(std::span<const std::uint32_t> threads) {
    leave_queue();
    if (!has_next()) head_ = tail_ = queue_.data();
    for (const std::uint32_t thread : threads) {
      Worker* const worker = worker_of_[thread];
      *tail_ = {worker ? worker->fiber.context() : nullptr, thread};
      tail_ = after(tail_);
    }
    tail_->context = nullptr;
  }

  /// The same for the last `count` to which it came, the current one among them, where nobody else can go on.
  void make_ready_again(std::size_t count) { head_ = taken_ - (count - 1); }

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

  static constexpr std::size_t most_turns = std::size_t{2} * most_threads;

  static void work_on_fiber();
  void work(Worker& mine);
  Worker& give_worker(std::uint32_t thread);
  Fiber& take_next() {
    Worker* const worker = worker_of_[head_->thread];
    return take_next(worker ? *worker : give_worker(head_->thread));
  }
  Fiber& take_next(Worker& worker) {
    taken_ = head_;
    taken_->context = worker.fiber.context();
    round_.turn = taken_;
    head_ = after(head_);
    return worker.fiber;
  }
  bool has_next() const { return head_ != tail_; }
  /// Keeps the current thread's turn where the queue does not grow over it.
  void leave_queue() {
    out_of_queue_[0] = *round_.turn;
    round_.turn = taken_ = out_of_queue_.data();
  }
  abi::Turn* after(abi::Turn* turn) { return ++turn == queue_.data() + most_turns ? queue_.data() : turn; }

  std::deque<Worker> workers_;
  std::vector<Worker*> idle_;
  std::vector<Worker*> worker_of_ = std::vector<Worker*>(most_threads);
  /// Of those that can go on from head_ up to tail_, beyond whose end it begins anew. There, and behind the last, is a
  /// turn without a context.
  std::vector<abi::Turn> queue_ = std::vector<abi::Turn>(most_turns + 1);
  abi::Turn *head_ = queue_.data(), *tail_ = queue_.data();
  std::array<abi::Turn, 2> out_of_queue_{};  ///< the second is an end
  abi::Turn* taken_ = out_of_queue_.data();  ///< the last that is known to have come
  abi::Round round_{taken_, nullptr, 0, 0};
  std::uint32_t running_ = 0;  ///< threads that have not ended
  bool is_stopped_ = false;
  Body body_ = nullptr;
  void* context_ = nullptr;
  Fiber main_;
};

}  // namespace assay::metal::emulator
