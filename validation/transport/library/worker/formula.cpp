#include "validation/transport/library/worker/formula.h"

#include <dlfcn.h>

#include <cstdint>
#include <vector>

#include "validation/plugin/assay_formula.h"
#include "validation/transport/library/worker/arrays.h"

namespace assay::validation::transport {
namespace {

using SetThreads = void (*)(int);

/// The arrays as the kernel takes them: those that it reads, or those that it writes.
std::vector<assay_array> described(const Request& request, const Arrays& arrays, bool writable) {
  const std::vector<void*> at = arrays.addresses();
  std::vector<assay_array> all;
  for (std::size_t i = 0; i < at.size(); ++i)
    if (const Slot& slot = request.slots.at(i); (slot.writable != 0) == writable)
      all.push_back({slot.name.data(), slot.shape.data(), slot.dimensions, slot.dtype, at[i]});
  return all;
}

int threads_for(const Request& request) {
  std::uint64_t elements = 0;
  for (const Slot& slot : request.slots)
    if (slot.writable == 0) elements += (slot.end - slot.begin) / slot.element;
  return static_cast<int>(1 + elements % 4);
}

}  // namespace

decltype(Loaded::run) formula_run(void* library, const std::string& symbol) {
  auto* const entry = reinterpret_cast<assay_formula_run*>(dlsym(library, symbol.c_str()));
  if (entry == nullptr) return {};
  auto* const set_threads = reinterpret_cast<SetThreads>(dlsym(library, "omp_set_num_threads"));
  return [entry, set_threads](Request& request, const Arrays& arrays, char* message) {
    if (set_threads != nullptr) set_threads(threads_for(request));
    const auto inputs = described(request, arrays, false), outputs = described(request, arrays, true);
    return entry(request.formula.data(), inputs.data(), inputs.size(), outputs.data(), outputs.size(), message,
                 message_size);
  };
}

}  // namespace assay::validation::transport
