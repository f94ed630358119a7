// Runs the threads of a group on fibers of one OS thread.
//
// A fiber runs one thread after another; another fiber is taken only when a thread waits. A waiting thread switches
// straight to the next ready thread. Shaders do so themselves, without a call, where they can: abi::FastBarrier.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/simt/fiber.h"

namespace assay::metal::emulator {

class Scheduler {
 public:
  using Body = void (*)(void* context, std::uint32_t thread);
  enum class End { all_ended, stuck, stopped, paused };

  static constexpr std::uint32_t max_threads = 1024;

  /// Must be called before run() if the OS thread may have changed since the last run().
  void move_here();

  /// Makes ready to call body(context, thread) for each thread of `order`: the numbers below its size.
  void begin(std::span<const std::uint32_t> order, Body body, void* context);

  /// Runs the threads, first `next` if it is given and ready. Returns `stuck` if all unfinished threads wait.
  End go_on(std::optional<std::uint32_t> next = std::nullopt);

  /// The last run has stopped since there was no memory for the stack of a thread.
  bool lacks_memory() const { return lacks_memory_; }

  /// begin() and go_on().
  End run(std::span<const std::uint32_t> order, Body body, void* context) {
    begin(order, body, context);
    return go_on();
  }

  /// The threads that are ready, the current one not among them, in the order in which they would run.
  std::size_t ready_count() const {
    return static_cast<std::size_t>(tail_ - head_ + (tail_ < head_ ? std::ptrdiff_t{queue_length} : 0));
  }
  std::uint32_t ready(std::size_t index) const { return entry(index).thread; }
  bool is_ready(std::uint32_t thread) const;

  /// Shared with the shaders; its `running` is the scheduler's, the rest is the caller's to set.
  abi::FastBarrier& fast_barrier() { return fast_barrier_; }

  // The functions below are for the body.
  std::uint32_t current() const { return fast_barrier_.running->thread; }
  Fiber& current_fiber() const { return worker_of_[current()]->fiber; }

  /// The threads that have yielded at the fast barrier since the last call. They wait there. Must be called before any
  /// of the functions below.
  std::span<const abi::ReadyThread> take_yielded() {
    const std::span<const abi::ReadyThread> yielded(last_known_, fast_barrier_.running);
    if (!yielded.empty()) head_ = after(last_known_ += yielded.size());
    return yielded;
  }

  /// Lets others run. Returns once the current thread is ready and its turn has come; make_ready() may come before.
  void wait() {
    Fiber& mine = current_fiber();
    Fiber& next = has_next() ? take_next() : main_;
    if (&next != &mine) mine.switch_to(next);
  }
  void make_ready(std::span<const std::uint32_t> threads) {
    detach_running();
    if (!has_next()) head_ = tail_ = queue_.data();
    for (const std::uint32_t thread : threads) {
      Worker* const worker = worker_of_[thread];
      *tail_ = {worker ? worker->fiber.context() : nullptr, thread};
      tail_ = after(tail_);
    }
    tail_->context = nullptr;
  }

  /// Makes the current thread ready, in front of all others, and returns from go_on(). Returns here when its turn has
  /// come.
  void pause();

  /// Makes the last `count` threads that ran, the current one among them, ready in the same order. No other thread may
  /// be ready.
  void requeue_last(std::size_t count) { head_ = last_known_ - (count - 1); }

  /// Ends the current thread here.
  [[noreturn]] void end_current();

  /// Ends all threads where they are.
  [[noreturn]] void stop();

 private:
  struct Worker {
    explicit Worker(std::size_t index) : fiber(index) {}
    Fiber fiber;
    bool is_fresh = true;  ///< its stack holds no thread to return to
  };

  static constexpr std::size_t queue_length = std::size_t{2} * max_threads;

  std::size_t place_of(std::size_t index) const {
    return (static_cast<std::size_t>(head_ - queue_.data()) + index) % queue_length;
  }
  abi::ReadyThread& entry(std::size_t index) { return queue_[place_of(index)]; }
  const abi::ReadyThread& entry(std::size_t index) const { return queue_[place_of(index)]; }
  static void work_on_fiber();
  void move_to_front(std::uint32_t thread);
  void work(Worker& mine);
  /// Null if there is no memory: an exception would not leave the stack of a thread.
  Worker* assign_worker(std::uint32_t thread);
  Fiber& take_next() {
    Worker* worker = worker_of_[head_->thread];
    if (!worker) worker = assign_worker(head_->thread);
    if (worker) return take_next(*worker);
    is_stopped_ = lacks_memory_ = true;
    return main_;
  }
  Fiber& take_next(Worker& worker) {
    last_known_ = head_;
    last_known_->context = worker.fiber.context();
    fast_barrier_.running = last_known_;
    head_ = after(head_);
    return worker.fiber;
  }
  bool has_next() const { return head_ != tail_; }
  /// Moves the running thread's entry out of the queue, which may then overwrite it.
  void detach_running() {
    detached_[0] = *fast_barrier_.running;
    fast_barrier_.running = last_known_ = detached_.data();
  }
  abi::ReadyThread* after(abi::ReadyThread* entry) {
    return ++entry == queue_.data() + queue_length ? queue_.data() : entry;
  }

  std::deque<Worker> workers_;
  std::vector<Worker*> idle_;
  std::vector<Worker*> worker_of_ = std::vector<Worker*>(max_threads);
  /// A ring of the ready threads, from head_ up to tail_. The entry at tail_, and the one behind the last of the ring,
  /// has no context: there the shaders' own switching stops.
  std::vector<abi::ReadyThread> queue_ = std::vector<abi::ReadyThread>(queue_length + 1);
  abi::ReadyThread *head_ = queue_.data(), *tail_ = queue_.data();
  std::array<abi::ReadyThread, 2> detached_{};       ///< the second has no context
  abi::ReadyThread* last_known_ = detached_.data();  ///< the running thread when the scheduler last looked
  abi::FastBarrier fast_barrier_{last_known_, nullptr, 0, 0};
  std::uint32_t threads_ = 0, unfinished_ = 0;
  bool is_stopped_ = false, is_paused_ = false, lacks_memory_ = false;
  Body body_ = nullptr;
  void* context_ = nullptr;
  Fiber main_;
};

}  // namespace assay::metal::emulator
