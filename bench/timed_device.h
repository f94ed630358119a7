// A device that measures what runs on it: the device time of all commands, and the most memory at once.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "metal/device/device.h"
#include "metal/device/or_throw.h"

namespace assay::bench {

struct DeviceUse {
  double seconds = 0;            ///< of all commands that somebody waited for
  std::uint64_t peak_bytes = 0;  ///< of all buffers at once
};

class TimedCommandBuffer : public metal::CommandBuffer {
 public:
  TimedCommandBuffer(std::shared_ptr<metal::CommandBuffer> of, std::shared_ptr<DeviceUse> use)
      : of_(std::move(of)), use_(std::move(use)) {}

  metal::Result<std::shared_ptr<metal::ComputeCommandEncoder>> compute_encoder(metal::DispatchType type) override {
    return of_->compute_encoder(type);
  }
  metal::Result<void> commit() override { return of_->commit(); }
  metal::Result<void> wait_until_completed() override {
    metal::Result<void> result = of_->wait_until_completed();
    if (result && of_->status() == Status::completed) use_->seconds += metal::or_throw(of_->gpu_seconds());
    return result;
  }
  Status status() const override { return of_->status(); }
  std::optional<metal::Error> error() const override { return of_->error(); }
  metal::Result<double> gpu_seconds() const override { return of_->gpu_seconds(); }

 private:
  std::shared_ptr<metal::CommandBuffer> of_;
  std::shared_ptr<DeviceUse> use_;
};

class TimedQueue : public metal::CommandQueue {
 public:
  TimedQueue(std::shared_ptr<metal::CommandQueue> of, std::shared_ptr<DeviceUse> use)
      : of_(std::move(of)), use_(std::move(use)) {}
  std::shared_ptr<metal::CommandBuffer> command_buffer() override {
    return std::make_shared<TimedCommandBuffer>(of_->command_buffer(), use_);
  }

 private:
  std::shared_ptr<metal::CommandQueue> of_;
  std::shared_ptr<DeviceUse> use_;
};

class TimedDevice : public metal::Device {
 public:
  explicit TimedDevice(std::shared_ptr<metal::Device> of) : of_(std::move(of)) {}

  /// The use since the last call.
  DeviceUse take() { return std::exchange(*use_, {}); }

  const std::string& name() const override { return of_->name(); }
  const metal::Limits& limits() const override { return of_->limits(); }
  std::uint64_t current_allocated_size() const override { return of_->current_allocated_size(); }
  metal::Result<std::shared_ptr<metal::Library>> new_library(const std::string& source) override {
    return of_->new_library(source);
  }
  metal::Result<std::shared_ptr<metal::Library>> new_library_from_file(const std::filesystem::path& path) override {
    return of_->new_library_from_file(path);
  }
  metal::Result<std::shared_ptr<const metal::ComputePipeline>> new_pipeline(
      std::shared_ptr<const metal::Function> function) override {
    return of_->new_pipeline(std::move(function));
  }
  metal::Result<std::shared_ptr<metal::Buffer>> new_buffer(std::uint64_t length, const std::string& label) override {
    return counted(of_->new_buffer(length, label));
  }
  metal::Result<std::shared_ptr<metal::Buffer>> new_buffer(std::span<const std::byte> bytes,
                                                           const std::string& label) override {
    return counted(of_->new_buffer(bytes, label));
  }
  std::shared_ptr<metal::CommandQueue> new_command_queue() override {
    return std::make_shared<TimedQueue>(of_->new_command_queue(), use_);
  }

 private:
  metal::Result<std::shared_ptr<metal::Buffer>> counted(metal::Result<std::shared_ptr<metal::Buffer>> buffer) {
    use_->peak_bytes = std::max(use_->peak_bytes, of_->current_allocated_size());
    return buffer;
  }

  std::shared_ptr<metal::Device> of_;
  std::shared_ptr<DeviceUse> use_ = std::make_shared<DeviceUse>();
};

}  // namespace assay::bench
