// The state that all objects of one NVIDIA device share.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <string>

#include "metal/device/encoder_epoch.h"
#include "metal/device/limits.h"
#include "metal/device/result.h"
#include "metal/nvidia/driver.h"
#include "metal/nvidia/managed_memory.h"

namespace assay::metal::nvidia {

struct NvidiaState {
  std::shared_ptr<Driver> driver;
  int ordinal = 0;           ///< of the device
  std::string name;          ///< "NVIDIA H200"
  std::string architecture;  ///< "sm_90"
  Limits limits;
  EncoderEpoch epoch;
  std::atomic<std::uint64_t> allocated_bytes = 0;  ///< of buffers
  Context context = nullptr;
  std::unique_ptr<ManagedMemory> memory;  ///< of buffers

  NvidiaState() = default;
  NvidiaState(const NvidiaState&) = delete;
  NvidiaState& operator=(const NvidiaState&) = delete;
  ~NvidiaState() {
    if (context == nullptr) return;
    enter();
    memory.reset();
    driver->release_primary_context(ordinal);
  }

  /// Errors: environment, with the call and the driver's reason.
  Result<void> check(const char* call, Status status) const {
    if (status == success) return {};
    return error(Error::Kind::environment, fmt::format("{}: {}", call, driver->describe(status)));
  }

  /// Each thread of the host needs it before other calls. Errors: as above.
  Result<void> make_current() const { return check("cuCtxSetCurrent", driver->set_current_context(context)); }

  /// The same, to give something back: nothing better could be done where it fails.
  void enter() const { driver->set_current_context(context); }
};

}  // namespace assay::metal::nvidia
