#include "metal/emulator/simt/scheduler.h"

#include <new>
#include <utility>

namespace assay::metal::emulator {

namespace {

thread_local Scheduler* scheduler_here = nullptr;

}  // namespace

void Scheduler::move_here() {
  for (Worker& worker : workers_) worker.is_fresh = true;
}

void Scheduler::begin(std::span<const std::uint32_t> order, Body body, void* context) {
  body_ = body;
  context_ = context;
  threads_ = unfinished_ = static_cast<std::uint32_t>(order.size());
  is_stopped_ = lacks_memory_ = false;
  for (const std::uint32_t thread : order) worker_of_[thread] = nullptr;
  head_ = tail_;
  make_ready(order);
}

Scheduler::End Scheduler::go_on(std::optional<std::uint32_t> next) {
  Scheduler* const outer = std::exchange(scheduler_here, this);
  is_paused_ = false;
  if (next) move_to_front(*next);
  if (has_next())
    if (Fiber& first = take_next(); &first != &main_) main_.switch_to(first);
  scheduler_here = outer;
  if (is_paused_) return End::paused;

  for (std::uint32_t thread = 0; thread < threads_; ++thread) {
    if (!worker_of_[thread]) continue;
    worker_of_[thread]->is_fresh = true;
    idle_.push_back(worker_of_[thread]);
  }
  if (is_stopped_) return End::stopped;
  return unfinished_ == 0 ? End::all_ended : End::stuck;
}

/// The others keep their order.
void Scheduler::move_to_front(std::uint32_t thread) {
  if (!is_ready(thread)) return;
  std::size_t index = 0;
  while (ready(index) != thread) ++index;
  for (; index > 0; --index) std::swap(entry(index), entry(index - 1));
}

bool Scheduler::is_ready(std::uint32_t thread) const {
  for (std::size_t index = 0; index < ready_count(); ++index)
    if (ready(index) == thread) return true;
  return false;
}

void Scheduler::pause() {
  is_paused_ = true;
  Fiber& mine = current_fiber();
  const std::uint32_t me = current();
  detach_running();
  head_ = head_ == queue_.data() ? head_ + queue_length - 1 : head_ - 1;
  *head_ = {mine.context(), me};
  mine.switch_to(main_);
}

void Scheduler::end_current() {
  Worker& mine = *worker_of_[current()];
  worker_of_[current()] = nullptr;
  --unfinished_;
  // The stack is in use up to the switch. No other thread can take it before, since they share one OS thread.
  mine.is_fresh = true;
  Fiber& next = has_next() ? take_next() : main_;
  idle_.push_back(&mine);
  mine.fiber.leave_to(next);
}

void Scheduler::stop() {
  is_stopped_ = true;
  current_fiber().leave_to(main_);
}

void Scheduler::work_on_fiber() {
  Fiber::arrive();
  Scheduler& here = *scheduler_here;
  here.work(*here.worker_of_[here.current()]);
}

/// Runs the current thread, then queued threads that have not begun; leaves when the next one has a stack already.
void Scheduler::work(Worker& mine) {
  while (true) {
    body_(context_, current());
    worker_of_[current()] = nullptr;
    --unfinished_;
    if (has_next() && !worker_of_[head_->thread]) {
      worker_of_[head_->thread] = &mine;
      take_next(mine);
      continue;
    }
    Fiber& next = has_next() ? take_next() : main_;
    idle_.push_back(&mine);
    mine.fiber.switch_to(next);
  }
}

Scheduler::Worker* Scheduler::assign_worker(std::uint32_t thread) {
  try {
    if (idle_.empty()) idle_.push_back(&workers_.emplace_back(workers_.size()));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  Worker& worker = *idle_.back();
  idle_.pop_back();
  if (worker.is_fresh) worker.fiber.reset(&work_on_fiber);
  worker.is_fresh = false;
  return worker_of_[thread] = &worker;
}

}  // namespace assay::metal::emulator
