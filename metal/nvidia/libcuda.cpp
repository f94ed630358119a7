#include "metal/nvidia/libcuda.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>

namespace assay::metal::nvidia {

namespace {

/// A function of the library. Its name is the versioned one that CUDA's own header gives to the plain name.
template <class Signature>
class Symbol;
template <class... Arguments>
class Symbol<Status(Arguments...)> {
 public:
  Symbol(void* library, const char* name, std::string& missing)
      : function_(reinterpret_cast<Status (*)(Arguments...)>(dlsym(library, name))) {
    if (function_ == nullptr) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
  }
  Status operator()(Arguments... arguments) const { return function_(arguments...); }

 private:
  Status (*function_)(Arguments...);
};

/// The options of cuModuleLoadDataEx: CUjit_option.
enum JitOption { error_log = 5, error_log_bytes = 6 };

class LibCuda final : public Driver {
 public:
  explicit LibCuda(void* library) : library_(library) {}

  /// The functions that the library lacks.
  const std::string& missing() const { return missing_; }

  Status init() override { return init_(0); }
  Status driver_version(int& version) override { return driver_version_(&version); }
  Status device_count(int& count) override { return device_count_(&count); }
  Status device_name(std::string& name, int device) override {
    std::array<char, 256> text{};
    const Status status = device_name_(text.data(), static_cast<int>(text.size()), device);
    name = text.data();
    return status;
  }
  Status device_attribute(int& value, DeviceAttribute attribute, int device) override {
    return device_attribute_(&value, static_cast<int>(attribute), device);
  }
  Status device_total_memory(std::size_t& bytes, int device) override { return total_memory_(&bytes, device); }

  Status retain_primary_context(Context& context, int device) override { return retain_(&context, device); }
  Status release_primary_context(int device) override { return release_(device); }
  Status set_current_context(Context context) override { return set_current_(context); }

  Status allocate_managed(Address& address, std::size_t bytes) override {
    constexpr unsigned attach_global = 1;
    return allocate_managed_(&address, bytes, attach_global);
  }
  Status free(Address address) override { return free_(address); }
  Status prefetch(Address address, std::size_t bytes, int device, Stream stream) override {
    return prefetch_(address, bytes, device, stream);
  }
  Status copy_to_device(Address address, const void* from, std::size_t bytes, Stream stream) override {
    return copy_(address, from, bytes, stream);
  }

  Status load_module(Module& module, const std::string& ptx, std::string& log) override {
    std::string messages(16384, '\0');
    std::array<int, 2> options{error_log, error_log_bytes};
    std::array<void*, 2> values{messages.data(), pointer_to(messages.size())};
    const Status status = load_module_(&module, ptx.c_str(), 2, options.data(), values.data());
    log.assign(messages, 0, messages.find('\0'));
    return status;
  }
  Status unload_module(Module module) override { return unload_module_(module); }
  Status get_kernel(Kernel& kernel, Module module, const std::string& name) override {
    return get_kernel_(&kernel, module, name.c_str());
  }
  Status kernel_attribute(int& value, KernelAttribute attribute, Kernel kernel) override {
    return kernel_attribute_(&value, static_cast<int>(attribute), kernel);
  }

  Status create_stream(Stream& stream) override {
    constexpr unsigned non_blocking = 1;
    return create_stream_(&stream, non_blocking);
  }
  Status destroy_stream(Stream stream) override { return destroy_stream_(stream); }
  Status synchronize_stream(Stream stream) override { return synchronize_stream_(stream); }
  Status launch(Kernel kernel, Extent grid, Extent block, unsigned shared_bytes, Stream stream,
                void** arguments) override {
    return launch_(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes, stream, arguments, nullptr);
  }

  Status create_event(Event& event) override { return create_event_(&event, 0); }
  Status destroy_event(Event event) override { return destroy_event_(event); }
  Status record_event(Event event, Stream stream) override { return record_event_(event, stream); }
  Status query_event(Event event) override { return query_event_(event); }
  Status synchronize_event(Event event) override { return synchronize_event_(event); }
  Status elapsed_milliseconds(float& milliseconds, Event from, Event to) override {
    return elapsed_(&milliseconds, from, to);
  }

  std::string describe(Status status) override {
    const char *name = nullptr, *text = nullptr;
    if (error_name_(status, &name) != success || error_string_(status, &text) != success)
      return fmt::format("CUDA error {}", status);
    return fmt::format("{}: {}", name, text);
  }

 private:
  void* library_;
  std::string missing_;

  template <class Signature>
  Symbol<Signature> symbol(const char* name) {
    return Symbol<Signature>(library_, name, missing_);
  }

  Symbol<Status(unsigned)> init_ = symbol<Status(unsigned)>("cuInit");
  Symbol<Status(int*)> driver_version_ = symbol<Status(int*)>("cuDriverGetVersion");
  Symbol<Status(int*)> device_count_ = symbol<Status(int*)>("cuDeviceGetCount");
  Symbol<Status(char*, int, int)> device_name_ = symbol<Status(char*, int, int)>("cuDeviceGetName");
  Symbol<Status(int*, int, int)> device_attribute_ = symbol<Status(int*, int, int)>("cuDeviceGetAttribute");
  Symbol<Status(std::size_t*, int)> total_memory_ = symbol<Status(std::size_t*, int)>("cuDeviceTotalMem_v2");
  Symbol<Status(Context*, int)> retain_ = symbol<Status(Context*, int)>("cuDevicePrimaryCtxRetain");
  Symbol<Status(int)> release_ = symbol<Status(int)>("cuDevicePrimaryCtxRelease_v2");
  Symbol<Status(Context)> set_current_ = symbol<Status(Context)>("cuCtxSetCurrent");
  Symbol<Status(Address*, std::size_t, unsigned)> allocate_managed_ =
      symbol<Status(Address*, std::size_t, unsigned)>("cuMemAllocManaged");
  Symbol<Status(Address)> free_ = symbol<Status(Address)>("cuMemFree_v2");
  Symbol<Status(Address, std::size_t, int, Stream)> prefetch_ =
      symbol<Status(Address, std::size_t, int, Stream)>("cuMemPrefetchAsync");
  Symbol<Status(Address, const void*, std::size_t, Stream)> copy_ =
      symbol<Status(Address, const void*, std::size_t, Stream)>("cuMemcpyHtoDAsync_v2");
  Symbol<Status(Module*, const void*, unsigned, int*, void**)> load_module_ =
      symbol<Status(Module*, const void*, unsigned, int*, void**)>("cuModuleLoadDataEx");
  Symbol<Status(Module)> unload_module_ = symbol<Status(Module)>("cuModuleUnload");
  Symbol<Status(Kernel*, Module, const char*)> get_kernel_ =
      symbol<Status(Kernel*, Module, const char*)>("cuModuleGetFunction");
  Symbol<Status(int*, int, Kernel)> kernel_attribute_ = symbol<Status(int*, int, Kernel)>("cuFuncGetAttribute");
  Symbol<Status(Stream*, unsigned)> create_stream_ = symbol<Status(Stream*, unsigned)>("cuStreamCreate");
  Symbol<Status(Stream)> destroy_stream_ = symbol<Status(Stream)>("cuStreamDestroy_v2");
  Symbol<Status(Stream)> synchronize_stream_ = symbol<Status(Stream)>("cuStreamSynchronize");
  Symbol<Status(Kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, void**)>
      launch_ = symbol<Status(Kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,
                              void**, void**)>("cuLaunchKernel");
  Symbol<Status(Event*, unsigned)> create_event_ = symbol<Status(Event*, unsigned)>("cuEventCreate");
  Symbol<Status(Event)> destroy_event_ = symbol<Status(Event)>("cuEventDestroy_v2");
  Symbol<Status(Event, Stream)> record_event_ = symbol<Status(Event, Stream)>("cuEventRecord");
  Symbol<Status(Event)> query_event_ = symbol<Status(Event)>("cuEventQuery");
  Symbol<Status(Event)> synchronize_event_ = symbol<Status(Event)>("cuEventSynchronize");
  Symbol<Status(float*, Event, Event)> elapsed_ = symbol<Status(float*, Event, Event)>("cuEventElapsedTime");
  Symbol<Status(Status, const char**)> error_name_ = symbol<Status(Status, const char**)>("cuGetErrorName");
  Symbol<Status(Status, const char**)> error_string_ = symbol<Status(Status, const char**)>("cuGetErrorString");
};

}  // namespace

Result<std::shared_ptr<Driver>> load_libcuda() {
  const char* chosen = std::getenv("ASSAY_LIBCUDA");  // NOLINT(concurrency-mt-unsafe): nothing here writes it
  const char* name = chosen != nullptr && *chosen != '\0' ? chosen : "libcuda.so.1";
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);  // never closed: the driver does not survive that
  if (library == nullptr)
    return error(Error::Kind::environment,
                 fmt::format("NVIDIA's driver is not to be had ({}): install it, or name libcuda.so.1 in ASSAY_LIBCUDA",
                             dlerror()));
  auto driver = std::make_shared<LibCuda>(library);
  if (driver->missing().empty()) return driver;
  return error(Error::Kind::environment,
               fmt::format("'{}' lacks {}: install a driver for CUDA 11.8 or later", name, driver->missing()));
}

}  // namespace assay::metal::nvidia
