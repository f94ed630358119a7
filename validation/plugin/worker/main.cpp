// assay_plugin_worker LIBRARY OPERATION: loads a plug-in and calls it, so that what it breaks is this process alone.
// Started by validation/plugin/worker_process.cpp, whose socket and shared memory it finds open.
#include <dlfcn.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <thread>

#include "validation/plugin/protocol.h"
#include "validation/plugin/worker/faults.h"

namespace assay::validation::plugin {
namespace {

void write_all(const Answer& answer) {
  const auto* bytes = reinterpret_cast<const char*>(&answer);
  for (std::size_t sent = 0; sent < sizeof answer;) {
    const ssize_t count = write(socket_file, bytes + sent, sizeof answer - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(1);
    sent += static_cast<std::size_t>(count);
  }
}

/// False where the program has closed its end.
bool read_all(Request& request) {
  auto* bytes = reinterpret_cast<char*>(&request);
  for (std::size_t got = 0; got < sizeof request;) {
    const ssize_t count = read(socket_file, bytes + got, sizeof request - got);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    got += static_cast<std::size_t>(count);
  }
  return request.magic == protocol;
}

/// Nothing that a plug-in does fills the disk.
void limit_files() {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0}, some{.rlim_cur = 1U << 26U, .rlim_max = 1U << 26U};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_FSIZE, &some);
  std::signal(SIGXFSZ, SIG_IGN);
}

/// Ends this process when the program is gone, even while the plug-in never returns.
void leave_with_the_program() {
  std::thread([] {
    pollfd gone{.fd = socket_file, .events = 0, .revents = 0};
    while (poll(&gone, 1, -1) < 0 && errno == EINTR) {
    }
    _exit(0);
  }).detach();
}

[[noreturn]] void not_loaded(const std::string& why) {
  Answer answer;
  answer.event = Event::not_loaded;
  why.copy(answer.message.data(), answer.message.size() - 1);
  write_all(answer);
  _exit(1);
}

const void* find_symbol(void* library, const std::string& operation) {
  if (const void* kernel = dlsym(library, ("assay_" + operation).c_str())) return kernel;
  std::string others;
  for (const std::string other : operation_names)
    if (dlsym(library, ("assay_" + other).c_str()) != nullptr)
      others += (others.empty() ? "assay_" : ", assay_") + other;
  not_loaded("it exports no assay_" + operation +
             (others.empty() ? ", nor any other kernel: define `const assay_" + operation + "_kernel assay_" +
                                   operation + "` as assay_plugin.h shows"
                             : "; it exports " + others));
}

/// The library's constant, checked as far as it must be to be read at all.
const void* load(const char* path, const std::string& operation, Answer& answer) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) not_loaded(dlerror());  // NOLINT(concurrency-mt-unsafe): before any other thread of ours
  const void* const kernel = find_symbol(library, operation);
  assay_header header{};
  std::memcpy(&header, kernel, sizeof header);
  if (header.version != ASSAY_PLUGIN_VERSION)
    not_loaded("assay_" + operation + " is of version " + std::to_string(header.version) +
               " of assay_plugin.h, and this program knows version " + std::to_string(ASSAY_PLUGIN_VERSION) +
               ": build the plug-in with the header that came with this program, and begin the struct with "
               "ASSAY_HEADER(assay_" +
               operation + "_kernel)");
  constexpr std::size_t least = offsetof(assay_ctc_kernel, dtype);
  static_assert(least == offsetof(assay_cce_kernel, dtypes) && least == offsetof(assay_svd_kernel, dtypes));
  if (header.struct_size < least || header.struct_size > largest_declaration)
    not_loaded("assay_" + operation + ".header.struct_size is " + std::to_string(header.struct_size) + ": expected " +
               std::to_string(least) + " to " + std::to_string(largest_declaration) +
               " bytes; begin the struct with ASSAY_HEADER(assay_" + operation + "_kernel)");
  std::memcpy(answer.declaration.data(), kernel, header.struct_size);
  assay_ctc_kernel begin{};  // all three begin alike
  std::memcpy(&begin, kernel, least);
  if (begin.run == nullptr) not_loaded("assay_" + operation + ".run is NULL: expected the function that computes");
  if (begin.name != nullptr) std::strncpy(answer.name.data(), begin.name, answer.name.size() - 1);
  return kernel;
}

/// The arrays of a request, at addresses of this process.
class Arrays {
 public:
  explicit Arrays(const Request& request) : request_(request), size_(request.memory) {
    memory_ = static_cast<std::byte*>(mmap(nullptr, size_, PROT_NONE, MAP_SHARED, memory_file, 0));
    if (memory_ == MAP_FAILED) _exit(1);
    for (const Slot& slot : request.slots) {
      if (slot.end == slot.begin) continue;
      const int access = slot.writable != 0 ? PROT_READ | PROT_WRITE : PROT_READ;
      if (mprotect(memory_ + slot.first_page, slot.last_page - slot.first_page, access) != 0) _exit(1);
    }
    report_offsets_into(memory_, size_);
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;
  ~Arrays() {
    report_offsets_into(nullptr, 0);
    munmap(memory_, size_);
  }

  /// The arrays are taken in the order of the slots.
  template <class Pointer>
  void next(Pointer& pointer) {
    const Slot& slot = request_.slots.at(at_++);
    pointer = slot.end > slot.begin ? reinterpret_cast<Pointer>(memory_ + slot.begin) : nullptr;
  }
  template <class Pointer>
  void next(Pointer& pointer, std::int64_t& size) {
    const Slot& slot = request_.slots.at(at_);
    size = static_cast<std::int64_t>((slot.end - slot.begin) / slot.element);
    next(pointer);
  }

 private:
  const Request& request_;
  std::size_t size_;
  std::byte* memory_ = nullptr;
  std::size_t at_ = 0;
};

template <class Struct>
Struct headed() {
  Struct made{};
  made.header = {sizeof(Struct), ASSAY_PLUGIN_VERSION};
  return made;
}

int call(const assay_ctc_kernel& kernel, assay_ctc_problem p, Arrays& arrays, char* message) {
  p.header = headed<decltype(p)>().header;
  arrays.next(p.activations, p.activations_size);
  arrays.next(p.targets, p.targets_size);
  arrays.next(p.input_lengths, p.input_lengths_size);
  arrays.next(p.target_lengths, p.target_lengths_size);
  arrays.next(p.upstream, p.upstream_size);
  auto out = headed<assay_ctc_output>();
  arrays.next(out.loss, out.loss_size);
  arrays.next(out.gradient, out.gradient_size);
  return kernel.run(&p, &out, message, message_size);
}

int call(const assay_cce_kernel& kernel, assay_cce_problem p, Arrays& arrays, char* message) {
  p.header = headed<decltype(p)>().header;
  arrays.next(p.hidden, p.hidden_size);
  arrays.next(p.weight, p.weight_size);
  arrays.next(p.bias, p.bias_size);
  arrays.next(p.targets, p.targets_size);
  arrays.next(p.upstream, p.upstream_size);
  auto out = headed<assay_cce_output>();
  arrays.next(out.loss, out.loss_size);
  arrays.next(out.dhidden, out.dhidden_size);
  arrays.next(out.dweight, out.dweight_size);
  arrays.next(out.dbias, out.dbias_size);
  return kernel.run(&p, &out, message, message_size);
}

int call(const assay_svd_kernel& kernel, assay_svd_problem p, Arrays& arrays, char* message) {
  p.header = headed<decltype(p)>().header;
  arrays.next(p.A, p.A_size);
  auto out = headed<assay_svd_output>();
  arrays.next(out.U, out.U_size);
  arrays.next(out.S, out.S_size);
  arrays.next(out.Vh, out.Vh_size);
  return kernel.run(&p, &out, message, message_size);
}

int call(const void* kernel, Operation operation, const Request& request, char* message) {
  Arrays arrays(request);
  switch (operation) {
    case Operation::ctc:
      return call(*static_cast<const assay_ctc_kernel*>(kernel), request.problem.ctc, arrays, message);
    case Operation::cce:
      return call(*static_cast<const assay_cce_kernel*>(kernel), request.problem.cce, arrays, message);
    default:
      return call(*static_cast<const assay_svd_kernel*>(kernel), request.problem.svd, arrays, message);
  }
}

/// A plug-in in C++ may throw where it should return.
int call_and_catch(const void* kernel, Operation operation, const Request& request, char* message) {
  try {
    return call(kernel, operation, request, message);
  } catch (const std::exception& thrown) {
    std::snprintf(message, message_size, "run threw %s", thrown.what());
  } catch (...) {
    std::snprintf(message, message_size, "run threw what is no std::exception");
  }
  return ASSAY_FAILED;
}

int serve(const char* path, const std::string& name) {
  const auto* const found = std::find(operation_names.begin(), operation_names.end(), name);
  if (found == operation_names.end()) return 2;
  const auto operation = static_cast<Operation>(found - operation_names.begin());
  limit_files();
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // what it printed is shown, should it die
  leave_with_the_program();
  report_faults();
  Answer loaded;
  const void* const kernel = load(path, name, loaded);
  write_all(loaded);
  for (Request request; read_all(request);) {
    Answer answer;
    answer.event = Event::returned;
    answer.status = call_and_catch(kernel, operation, request, answer.message.data());
    answer.message.back() = 0;
    write_all(answer);
  }
  return 0;
}

}  // namespace
}  // namespace assay::validation::plugin

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("assay_plugin_worker calls a plug-in for `assay gate --kernel LIBRARY`; it is not started by hand.\n",
               stderr);
    return 2;
  }
  const int status = assay::validation::plugin::serve(argv[1], argv[2]);
  _exit(status);  // not through the plug-in's destructors
}
