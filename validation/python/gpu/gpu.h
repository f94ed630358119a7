// The NVIDIA GPUs of this process, for kernels that work in memory and on streams of another library.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "metal/device/or_throw.h"
#include "metal/host/cce/cce.h"
#include "metal/host/ctc/ctc.h"
#include "metal/host/svd/svd.h"
#include "metal/nvidia/nvidia_device.h"

namespace pybind11 {
class module_;
}

namespace assay::python {

/// Where a call works: CUDA's ordinal of the device, and a stream of its primary context, 0 for the default stream.
struct Place {
  int ordinal = 0;
  std::uint64_t stream = 0;
};

class Gpu {
 public:
  /// The GPU of this ordinal, opened by the first call. Throws std::runtime_error if there is none.
  static Gpu& at(int ordinal);

  /// A host of metal/host, under lock(). The first call compiles its kernels. Throws std::runtime_error, with the
  /// compiler's messages.
  template <class Host>
  const Host& host() {
    auto& host = std::get<std::optional<Host>>(hosts_);
    if (!host) host.emplace(metal::or_throw(Host::create(device_)));
    return *host;
  }

  /// The caller's memory; no buffer for 0 bytes. Throws std::runtime_error for the address 0.
  metal::BufferPart adopt(std::uint64_t address, std::uint64_t bytes) const;

  /// Memory for a result that the caller does not get; no buffer for 0 bytes. Throws std::runtime_error.
  metal::BufferPart allocate(std::uint64_t bytes) const;

  /// Encodes by encode(encoder), which returns Result<void>, and commits to the stream without waiting. Throws
  /// std::runtime_error with the device's reason.
  template <class Encode>
  std::shared_ptr<metal::CommandBuffer> commit(std::uint64_t stream, Encode&& encode) {
    const auto commands = queue_on(stream)->command_buffer();
    const auto encoder = or_throw(commands->compute_encoder());
    or_throw(std::forward<Encode>(encode)(*encoder));
    or_throw(encoder->end_encoding());
    or_throw(commands->commit());
    keep(commands);
    return commands;
  }

  /// Held from the first allocation of a call to its commit: an allocation makes every open encoder stale. Gives back
  /// the memory of calls that have completed.
  std::unique_lock<std::mutex> lock();

 private:
  explicit Gpu(int ordinal);

  std::shared_ptr<metal::CommandQueue> queue_on(std::uint64_t stream) const;
  /// Until the GPU has run the commands, their workspace must live.
  void keep(const std::shared_ptr<metal::CommandBuffer>& commands);
  void drop_completed();

  std::shared_ptr<metal::nvidia::NvidiaDevice> device_;
  std::tuple<std::optional<metal::CtcLoss>, std::optional<metal::LinearCrossEntropy>, std::optional<metal::Svd>> hosts_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<metal::CommandBuffer>> running_;
};

void add_ctc_on_gpu(pybind11::module_& module);
void add_cce_on_gpu(pybind11::module_& module);
void add_svd_on_gpu(pybind11::module_& module);

}  // namespace assay::python
