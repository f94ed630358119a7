#include "metal/emulator/emulator_queue.h"

#include <deque>
#include <new>
#include <thread>
#include <utility>

#include "metal/device/command_buffer_rules.h"

namespace assay::metal::emulator {

struct Worker::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> jobs;
  bool is_over = false;
  std::thread thread;

  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return is_over || !jobs.empty(); });
      if (jobs.empty()) return;
      {
        const std::function<void()> job = std::move(jobs.front());
        jobs.pop_front();
        lock.unlock();
        job();
      }
      lock.lock();
    }
  }
};

Worker::Worker() : state_(std::make_shared<State>()) {
  state_->thread = std::thread([state = state_] { state->work(); });
}

/// A job may be the last owner. The destructor then runs on the worker's own thread, which cannot join itself.
Worker::~Worker() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_over = true;
  }
  state_->changed.notify_all();
  if (state_->thread.get_id() == std::this_thread::get_id())
    state_->thread.detach();
  else
    state_->thread.join();
}

void Worker::add(std::function<void()> job) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->jobs.push_back(std::move(job));
  }
  state_->changed.notify_all();
}

Result<std::shared_ptr<ComputeCommandEncoder>> EmulatorCommandBuffer::compute_encoder(DispatchType type) {
  const std::lock_guard lock(mutex_);
  if (const Result<void> fit = check_new_encoder(is_committed(), has_open_encoder_); !fit)
    return tl::unexpected(fit.error());
  has_open_encoder_ = true;
  return std::make_shared<EmulatorEncoder>(
      device_, type, [self = shared_from_this()](std::vector<Command> commands, std::optional<Error> problem) {
        self->take(std::move(commands), std::move(problem));
      });
}

void EmulatorCommandBuffer::take(std::vector<Command> commands, std::optional<Error> problem) {
  const std::lock_guard lock(mutex_);
  has_open_encoder_ = false;
  if (!error_) error_ = std::move(problem);
  for (Command& command : commands) commands_.push_back(std::move(command));
}

Result<void> EmulatorCommandBuffer::commit() {
  {
    const std::lock_guard lock(mutex_);
    if (Result<void> fit = check_commit(is_committed(), has_open_encoder_); !fit) return fit;
    status_ = Status::committed;
  }
  worker_->add([self = shared_from_this()] { self->run(); });
  return {};
}

/// Runs nothing if encoding failed, and nothing after a dispatch that failed.
void EmulatorCommandBuffer::run() {
  std::vector<Command> commands = std::exchange(commands_, {});
  std::optional<Error> problem = error_;
  try {
    for (auto command = commands.begin(); command != commands.end() && !problem; ++command)
      problem = device_->executor.run(std::move(command->launch));
  } catch (const std::bad_alloc&) {
    problem = Error{Error::Kind::limit, "there is no memory for a dispatch on the emulator"};
  }
  commands.clear();
  {
    const std::lock_guard lock(mutex_);
    status_ = problem ? Status::error : Status::completed;
    error_ = std::move(problem);
  }
  ended_.notify_all();
}

Result<void> EmulatorCommandBuffer::wait_until_completed() {
  std::unique_lock lock(mutex_);
  if (Result<void> fit = check_wait(is_committed()); !fit) return fit;
  ended_.wait(lock, [&] { return status_ != Status::committed; });
  return {};
}

CommandBuffer::Status EmulatorCommandBuffer::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::optional<Error> EmulatorCommandBuffer::error() const {
  const std::lock_guard lock(mutex_);
  return status_ == Status::error ? error_ : std::nullopt;
}

Result<double> EmulatorCommandBuffer::gpu_seconds() const {
  return metal::error(Error::Kind::environment, "gpu_seconds: the emulator has no GPU whose time it could measure");
}

}  // namespace assay::metal::emulator
