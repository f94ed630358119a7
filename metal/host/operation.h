// The common part of all operations' hosts: a device with the kernels of a library, or no device.
#pragma once

#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "metal/cpu/half.h"
#include "metal/host/pipelines.h"

namespace assay::metal::host {

/// The base of an operation's class `Derived`, which has
///
///   kernel_file              its .metal file, relative to metal/kernels
///   check(const Options&)    errors: argument, for options that it does not accept
///   bfloat_kernel()          the name of a kernel that a library has if it supports bfloat
///
/// Several threads may call it at once. Calls allocate and encode one after the other, because an allocation makes
/// every open encoder of the device stale. Other code must not allocate on the device at the same time.
template <class Derived, class Options>
class Operation {
 public:
  /// If `device` is null, the CPU computes everything. Errors: argument, for the options; those of
  /// Device::new_library_from_file.
  static Result<Derived> create(std::shared_ptr<Device> device, const Options& options = {}) {
    if (const Result<void> valid = Derived::check(options); !valid) return tl::unexpected(valid.error());
    if (!device) return Derived(nullptr, Engine(), options);
    auto library = library_of(*device, options.kernels, Derived::kernel_file);
    if (!library) return tl::unexpected(library.error());
    return create(std::move(device), std::move(*library), options);
  }

  /// Takes the kernels from a library of the device instead of options.kernels. Errors: argument, for the options, and
  /// if one of the two is null.
  static Result<Derived> create(std::shared_ptr<Device> device, std::shared_ptr<Library> library,
                                const Options& options = {}) {
    if (const Result<void> valid = Derived::check(options); !valid) return tl::unexpected(valid.error());
    Result<Engine> engine = engine_of(device, std::move(library));
    if (!engine) return tl::unexpected(engine.error());
    return Derived(std::move(device), std::move(*engine), options);
  }

  /// Whether the device computes problems of this type. If not, the CPU does: without a device, for double, and for
  /// bfloat if the library does not support it, as before Metal 3.1.
  template <class Real>
  bool is_on_device() const {
    if (!device_ || std::is_same_v<Real, double>) return false;
    if constexpr (!std::is_same_v<Real, BFloat16>) return true;
    return pipelines_->has_function(static_cast<const Derived*>(this)->bfloat_kernel());
  }

  /// Compiles the kernels again if their file has changed. Returns whether it had, and false without a device.
  /// Errors: compile, environment; the kernels then stay as they were.
  Result<bool> reload_if_changed() const { return device_ ? pipelines_->reload_if_changed() : Result<bool>(false); }

 protected:
  // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): Derived inherits the constructor.
  Operation(std::shared_ptr<Device> device, Engine engine, Options options)
      : device_(std::move(device)),
        queue_(std::move(engine.queue)),
        pipelines_(std::move(engine.pipelines)),
        options_(std::move(options)) {}

  std::shared_ptr<Device> device_;  ///< may be null, as the queue and the pipelines then are
  std::shared_ptr<CommandQueue> queue_;
  std::shared_ptr<Pipelines> pipelines_;
  std::shared_ptr<std::mutex> mutex_ =
      std::make_shared<std::mutex>();  ///< held from the first allocation to the commit
  Options options_;
};

}  // namespace assay::metal::host
