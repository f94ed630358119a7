#include "validation/shader/run_watch.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "metal/emulator/emulator_device.h"
#include "validation/core/terminal.h"

namespace assay::validation {

struct RunWatch::State {
  const metal::emulator::EmulatorDevice& device;
  std::string kernel;
  ProgressBar bar = {};
  std::mutex mutex = {};
  std::condition_variable changed = {};
  bool is_over = false;
  std::thread thread = {};

  void show() {
    using namespace std::chrono_literals;
    const auto begun = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, 1s, [&] { return is_over; })) {
      const auto [ended, groups] = device.progress();
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun;
      bar.show(static_cast<double>(ended), static_cast<double>(groups),
               fmt::format("kernel {} has run for {:.0f} s, {} of {} threadgroups have ended", kernel, elapsed.count(),
                           ended, groups));
    }
  }
};

RunWatch::RunWatch(const metal::Device& device, const std::string& kernel) {
  const auto* const emulated = dynamic_cast<const metal::emulator::EmulatorDevice*>(&device);
  if (emulated == nullptr || !ProgressBar::is_wanted()) return;
  state_ = std::make_unique<State>(*emulated, kernel);
  state_->thread = std::thread([this] { state_->show(); });
}

RunWatch::~RunWatch() {
  if (!state_) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_over = true;
  }
  state_->changed.notify_all();
  state_->thread.join();
}

}  // namespace assay::validation
