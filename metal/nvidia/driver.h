// The part of the CUDA driver API that the device layer uses, as an interface: libcuda.h has the real one, tests have a
// mock. Names, arguments and results are those of the CUDA Driver API Reference; so no CUDA header is needed to build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace assay::metal::nvidia {

using Status = int;  ///< CUresult; 0 is success
inline constexpr Status success = 0, not_ready = 600;

using Context = struct ContextOpaque*;
using Module = struct ModuleOpaque*;
using Kernel = struct KernelOpaque*;
using Stream = struct StreamOpaque*;
using Event = struct EventOpaque*;
using Address = std::uint64_t;  ///< CUdeviceptr

/// The same address as a pointer: host and GPU share their addresses.
inline std::byte* pointer_to(Address address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr): CUDA gives addresses as numbers
}

/// CUdevice_attribute
enum class DeviceAttribute {
  concurrent_managed_access = 89,
  compute_capability_major = 75,
  compute_capability_minor = 76,
};

/// CUfunction_attribute
enum class KernelAttribute { max_threads_per_block = 0, shared_size_bytes = 1 };

struct Extent {
  unsigned x = 1, y = 1, z = 1;
};

class Driver {
 public:
  virtual ~Driver() = default;

  virtual Status init() = 0;
  virtual Status driver_version(int& version) = 0;  ///< 1000 major + 10 minor, of the newest CUDA that it serves
  virtual Status device_count(int& count) = 0;
  virtual Status device_name(std::string& name, int device) = 0;
  virtual Status device_attribute(int& value, DeviceAttribute attribute, int device) = 0;
  virtual Status device_total_memory(std::size_t& bytes, int device) = 0;

  virtual Status retain_primary_context(Context& context, int device) = 0;
  virtual Status release_primary_context(int device) = 0;
  virtual Status set_current_context(Context context) = 0;

  virtual Status allocate_managed(Address& address, std::size_t bytes) = 0;
  virtual Status free(Address address) = 0;
  /// Moves pages of managed memory to the device, in the order of the stream.
  virtual Status prefetch(Address address, std::size_t bytes, int device, Stream stream) = 0;
  virtual Status copy_to_device(Address address, const void* from, std::size_t bytes, Stream stream) = 0;

  /// Compiles PTX for the current device. `log` gets the compiler's messages.
  virtual Status load_module(Module& module, const std::string& ptx, std::string& log) = 0;
  virtual Status unload_module(Module module) = 0;
  virtual Status get_kernel(Kernel& kernel, Module module, const std::string& name) = 0;
  virtual Status kernel_attribute(int& value, KernelAttribute attribute, Kernel kernel) = 0;

  virtual Status create_stream(Stream& stream) = 0;
  virtual Status destroy_stream(Stream stream) = 0;
  virtual Status synchronize_stream(Stream stream) = 0;
  /// `arguments` points to a pointer to each argument of the kernel.
  virtual Status launch(Kernel kernel, Extent grid, Extent block, unsigned shared_bytes, Stream stream,
                        void** arguments) = 0;

  virtual Status create_event(Event& event) = 0;
  virtual Status destroy_event(Event event) = 0;
  virtual Status record_event(Event event, Stream stream) = 0;
  virtual Status query_event(Event event) = 0;
  virtual Status synchronize_event(Event event) = 0;
  virtual Status elapsed_milliseconds(float& milliseconds, Event from, Event to) = 0;

  /// "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
  virtual std::string describe(Status status) = 0;
};

}  // namespace assay::metal::nvidia
