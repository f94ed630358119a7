// Command buffers of an emulated device, and the thread that runs them.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "metal/device/command_queue.h"
#include "metal/emulator/device_state.h"
#include "metal/emulator/emulator_encoder.h"

namespace assay::metal::emulator {

/// A thread that runs jobs in their order. The destructor waits for all of them.
class Worker {
 public:
  Worker();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void add(std::function<void()> job);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

class EmulatorCommandBuffer final : public CommandBuffer, public std::enable_shared_from_this<EmulatorCommandBuffer> {
 public:
  EmulatorCommandBuffer(std::shared_ptr<DeviceState> device, std::shared_ptr<Worker> worker)
      : device_(std::move(device)), worker_(std::move(worker)) {}

  Result<std::shared_ptr<ComputeCommandEncoder>> compute_encoder(DispatchType type) override;
  Result<void> commit() override;
  Result<void> wait_until_completed() override;
  Status status() const override;
  std::optional<Error> error() const override;
  Result<double> gpu_seconds() const override;

 private:
  void take(std::vector<Command> commands, std::optional<Error> error);
  void run();
  bool is_committed() const { return status_ != Status::not_enqueued; }

  std::shared_ptr<DeviceState> device_;
  std::shared_ptr<Worker> worker_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  Status status_ = Status::not_enqueued;
  std::optional<Error> error_;  ///< of encoding, then of running
  std::vector<Command> commands_;
  bool has_open_encoder_ = false;
};

class EmulatorQueue final : public CommandQueue {
 public:
  explicit EmulatorQueue(std::shared_ptr<DeviceState> device) : device_(std::move(device)) {}

  std::shared_ptr<CommandBuffer> command_buffer() override {
    return std::make_shared<EmulatorCommandBuffer>(device_, worker_);
  }

 private:
  std::shared_ptr<DeviceState> device_;
  std::shared_ptr<Worker> worker_ = std::make_shared<Worker>();
};

}  // namespace assay::metal::emulator
