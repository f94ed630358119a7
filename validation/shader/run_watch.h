// A line on stderr that says that a kernel runs, and how far it has come, while somebody waits for it at a terminal.
#pragma once

#include <memory>
#include <string>

#include "metal/device/device.h"

namespace assay::validation {

/// While it lives, the emulator's progress is shown, from the second second on. Other devices do not tell theirs.
class RunWatch {
 public:
  RunWatch(const metal::Device& device, const std::string& kernel);
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  ~RunWatch();

 private:
  struct State;
  std::unique_ptr<State> state_;  ///< null: nothing is shown
};

}  // namespace assay::validation
