#include "validation/transport/library/worker/load.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "validation/transport/library/worker/socket.h"
#include "validation/transport/library/worker/structs.h"

namespace assay::validation::transport {
namespace {

[[noreturn]] void not_loaded(const std::string& why) {
  Answer answer;
  answer.event = Event::not_loaded;
  why.copy(answer.message.data(), answer.message.size() - 1);
  send(answer);
  _exit(1);
}

/// The library's function of this type, or null.
template <class Function>
Function* function_called(void* library, const std::string& name) {
  return reinterpret_cast<Function*>(dlsym(library, name.c_str()));
}

const void* find_symbol(void* library, const std::string& operation, const std::vector<std::string>& operations) {
  if (const void* kernel = dlsym(library, ("assay_" + operation).c_str())) return kernel;
  std::string others;
  for (const std::string& other : operations)
    if (dlsym(library, ("assay_" + other).c_str()) != nullptr)
      others += (others.empty() ? "assay_" : ", assay_") + other;
  not_loaded("it exports no assay_" + operation +
             (others.empty() ? ", nor any other kernel: define `const assay_" + operation + "_kernel assay_" +
                                   operation + "` as assay_plugin.h shows"
                             : "; it exports " + others));
}

}  // namespace

Loaded load(const char* path, const std::string& operation, const std::vector<std::string>& operations,
            Answer& answer) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) not_loaded(dlerror());  // NOLINT(concurrency-mt-unsafe): no other thread of ours runs yet
  const Hooks hooks = hooks_of(library);
  auto* const set_threads = function_called<void(int)>(library, "omp_set_num_threads");
  answer.is_instrumented = hooks.unknown != nullptr ? 1 : 0;
  answer.uses_openmp = set_threads != nullptr ? 1 : 0;
  if (operation == "forward" || operation == "backward") {
    auto* const run = function_called<assay_formula_run>(library, "assay_" + operation);
    if (run == nullptr)
      not_loaded("it exports no assay_" + operation + ": declare the function as assay_formula.h does");
    return {"assay_" + operation, run, hooks, set_threads};
  }
  const void* const kernel = find_symbol(library, operation, operations);
  assay_header header{};
  std::memcpy(&header, kernel, sizeof header);
  if (header.version != ASSAY_PLUGIN_VERSION)
    not_loaded("assay_" + operation + " is of version " + std::to_string(header.version) +
               " of assay_plugin.h, and this program knows version " + std::to_string(ASSAY_PLUGIN_VERSION) +
               ": build the plug-in with the header that came with this program, and begin the struct with "
               "ASSAY_HEADER(assay_" +
               operation + "_kernel)");
  constexpr std::size_t smallest = sizeof(DeclarationStart);
  if (header.struct_size < smallest || header.struct_size > largest_declaration)
    not_loaded("assay_" + operation + ".header.struct_size is " + std::to_string(header.struct_size) + ": expected " +
               std::to_string(smallest) + " to " + std::to_string(largest_declaration) +
               " bytes; begin the struct with ASSAY_HEADER(assay_" + operation + "_kernel)");
  std::memcpy(answer.declaration.data(), kernel, header.struct_size);
  DeclarationStart start{};
  std::memcpy(&start, kernel, sizeof start);
  std::function<assay_formula_run> run = with_structs(operation, start);
  if (start.run == nullptr) run = function_called<assay_formula_run>(library, "assay_forward");
  if (!run)
    not_loaded("assay_" + operation + ".run is NULL: expected the function that computes, or assay_forward as " +
               "assay_formula.h declares it");
  if (start.name != nullptr) std::strncpy(answer.name.data(), start.name, answer.name.size() - 1);
  return {"assay_" + operation, run, hooks, set_threads};
}

}  // namespace assay::validation::transport
