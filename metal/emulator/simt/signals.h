// A shader's access that the processor refuses becomes a report and the end of its thread, not of the process.
#pragma once

#include <memory>

namespace assay::metal::emulator {

/// While it lives, faults of shader threads on this OS thread are caught. Other faults are left to whoever handled
/// them.
class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay::metal::emulator
