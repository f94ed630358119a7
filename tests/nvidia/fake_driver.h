// A driver without a GPU: managed memory is the host's, kernels do nothing. It counts what exists, keeps the launches,
// and fails at the call that it is asked to.
#pragma once

#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "metal/emulator/abi/shader_abi.h"
#include "metal/nvidia/driver.h"

namespace assay::metal::nvidia::test {

inline constexpr Status launch_failed = 719;

class FakeDriver final : public Driver {
 public:
  struct Launch {
    Extent grid, block;
    unsigned shared_bytes;
    emulator::abi::GpuCall call;
    Stream stream;
  };

  int version = 12040, devices = 1, major = 9, concurrent = 1;
  std::size_t memory = std::size_t{1} << 30;
  int fails_at = 0;  ///< the number of the call that fails, from 1 on; 0: none
  int calls = 0;
  std::map<std::string, int> alive;  ///< objects made and not given back
  std::vector<Launch> launches;
  int prefetches = 0;
  Status event_status = success;  ///< of queries and waits
  std::vector<std::byte> copied;  ///< by the last copy_to_device
  int copies = 0;
  std::string ptx;  ///< of the last module

  bool has_given_all_back() const {
    for (const auto& [what, count] : alive)
      if (count != 0) return false;
    return true;
  }

  Status init() override { return next(); }
  Status driver_version(int& value) override { return give(value, version); }
  Status device_count(int& value) override { return give(value, devices); }
  Status device_name(std::string& name, int) override { return give(name, std::string("Fake GPU")); }
  Status device_attribute(int& value, DeviceAttribute attribute, int) override {
    return give(value, attribute == DeviceAttribute::compute_capability_major    ? major
                       : attribute == DeviceAttribute::concurrent_managed_access ? concurrent
                                                                                 : 0);
  }
  Status device_total_memory(std::size_t& bytes, int) override { return give(bytes, memory); }

  Status retain_primary_context(Context& context, int) override { return make("context", context); }
  Status release_primary_context(int) override { return end("context"); }
  Status set_current_context(Context) override { return next(); }

  Status allocate_managed(Address& address, std::size_t bytes) override {
    if (const Status status = next(); status != success) return status;
    address = reinterpret_cast<Address>(std::calloc(bytes, 1));
    ++alive["memory"];
    return success;
  }
  Status free(Address address) override {
    std::free(reinterpret_cast<void*>(address));
    return end("memory");
  }
  Status prefetch(Address, std::size_t, int, Stream) override {
    ++prefetches;
    return next();
  }
  Status copy_to_device(Address, const void* from, std::size_t bytes, Stream) override {
    const auto* const begin = static_cast<const std::byte*>(from);
    copied.assign(begin, begin + bytes);
    ++copies;
    return next();
  }

  Status load_module(Module& module, const std::string& text, std::string& log) override {
    ptx = text;
    log = "ptxas: something about line 7";
    return make("module", module);
  }
  Status unload_module(Module) override { return end("module"); }
  Status get_kernel(Kernel& kernel, Module, const std::string&) override {
    return give(kernel, reinterpret_cast<Kernel>(this));
  }
  Status kernel_attribute(int& value, KernelAttribute attribute, Kernel) override {
    return give(value, attribute == KernelAttribute::max_threads_per_block ? 512 : 64);
  }

  Status create_stream(Stream& stream) override { return make("stream", stream); }
  Status destroy_stream(Stream) override { return end("stream"); }
  Status synchronize_stream(Stream) override { return next(); }
  Status launch(Kernel, Extent grid, Extent block, unsigned shared_bytes, Stream stream, void** arguments) override {
    if (stream != nullptr)  // else it sets function constants
      launches.push_back({grid, block, shared_bytes, *static_cast<emulator::abi::GpuCall*>(arguments[0]), stream});
    return next();
  }

  Status create_event(Event& event) override { return make("event", event); }
  Status destroy_event(Event) override { return end("event"); }
  Status record_event(Event, Stream) override { return next(); }
  Status query_event(Event) override { return waited(); }
  Status synchronize_event(Event) override { return waited(); }
  Status elapsed_milliseconds(float& milliseconds, Event, Event) override { return give(milliseconds, 2.5F); }

  std::string describe(Status status) override { return "status " + std::to_string(status); }

 private:
  Status next() { return ++calls == fails_at ? launch_failed : success; }
  Status waited() {
    const Status status = next();
    return status == success ? event_status : status;
  }
  template <class T>
  Status give(T& to, T value) {
    const Status status = next();
    if (status == success) to = value;
    return status;
  }
  template <class T>
  Status make(const char* what, T& object) {
    const Status status = give(object, reinterpret_cast<T>(this));
    if (status == success) ++alive[what];
    return status;
  }
  /// What is given back is gone even where the call fails.
  Status end(const char* what) {
    --alive[what];
    return next();
  }
};

}  // namespace assay::metal::nvidia::test
