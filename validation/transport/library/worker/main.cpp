// assay_plugin_worker LIBRARY OPERATION [OPERATIONS...]: loads and calls a plug-in in a separate process.
// validation/transport/library/worker_process.cpp starts the worker with an open socket and shared memory.
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
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "metal/system/system.h"
#include "validation/core/call_time.h"
#include "validation/transport/library/protocol.h"
#include "validation/transport/library/worker/faults.h"
#include "validation/transport/library/worker/numerics.h"

namespace assay::validation::transport {
namespace {

void write_all(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t count = write(socket_file, bytes + sent, size - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(1);
    sent += static_cast<std::size_t>(count);
  }
}

void write_all(const Answer& answer) {
  write_all(&answer, sizeof answer);
}

/// Returns false if the program has closed its end.
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

/// Limits the size of files, so that a plug-in cannot fill the disk.
void limit_files() {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0}, some{.rlim_cur = 1U << 26U, .rlim_max = 1U << 26U};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_FSIZE, &some);
  std::signal(SIGXFSZ, SIG_IGN);
}

/// Ends this process when the program has ended, even if the plug-in never returns.
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

/// What is called.
struct Loaded {
  DeclarationStart kernel{};
  std::string symbol;
  void* followed_by = nullptr;  ///< null if its operations cannot be followed
};

/// Loads the library's constant. Checks only what is needed to read the constant safely.
Loaded load(const char* path, const std::string& operation, const std::vector<std::string>& operations,
            Answer& answer) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) not_loaded(dlerror());  // NOLINT(concurrency-mt-unsafe): no other thread of ours runs yet
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
  if (start.run == nullptr) not_loaded("assay_" + operation + ".run is NULL: expected the function that computes");
  if (start.name != nullptr) std::strncpy(answer.name.data(), start.name, answer.name.size() - 1);
  void* const hook = followed_by(library);
  answer.is_instrumented = hook != nullptr ? 1 : 0;
  return {start, "assay_" + operation, hook};
}

/// The arrays of a request, mapped into this process.
class Arrays {
 public:
  explicit Arrays(const Request& request) : request_(request), size_(request.memory) {
    memory_ = static_cast<std::byte*>(mmap(nullptr, size_, PROT_NONE, MAP_SHARED, memory_file, 0));
    if (memory_ == MAP_FAILED) _exit(1);
    for (const Slot& slot : request.slots) {
      if (slot.end == slot.begin) continue;
      const int access = slot.writable != 0 ? PROT_READ | PROT_WRITE : PROT_READ;
      if (mprotect(memory_ + slot.first_page, slot.last_page - slot.first_page, access) != 0) _exit(1);
      if (slot.far.bytes == 0) continue;
      std::byte* const far = far_.emplace_back(slot.far).data();
      for_each_part(slot, [&](std::byte* shared, std::size_t there, std::size_t size) {
        std::memcpy(far + there, shared, size);
      });
    }
    report_offsets_into(memory_, size_);
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;
  ~Arrays() {
    report_offsets_into(nullptr, 0);
    munmap(memory_, size_);
  }

  /// Writes the address and the number of elements of each array into the struct that has its pointer.
  void enter(std::byte* problem, std::byte* output) const {
    auto far = far_.begin();
    for (const Slot& slot : request_.slots) {
      if (slot.pointer_at == 0) continue;
      std::byte* const owner = slot.writable != 0 ? output : problem;
      const bool is_far = slot.far.bytes > 0;
      const void* const address = is_far ? (far++)->data() : slot.end > slot.begin ? memory_ + slot.begin : nullptr;
      const auto size = static_cast<std::int64_t>((is_far ? slot.far.bytes : slot.end - slot.begin) / slot.element);
      std::memcpy(owner + slot.pointer_at, static_cast<const void*>(&address), sizeof address);
      std::memcpy(owner + slot.size_at, &size, sizeof size);
    }
  }

  const std::byte* memory() const { return memory_; }
  bool are_far() const { return !far_.empty(); }

  /// Copies the parts of outputs in far pages to the shared memory.
  void leave() const {
    auto far = far_.begin();
    for (const Slot& slot : request_.slots) {
      if (slot.far.bytes == 0) continue;
      const std::byte* const from = (far++)->data();
      if (slot.writable == 0) continue;
      for_each_part(slot, [&](std::byte* shared, std::size_t there, std::size_t size) {
        std::memcpy(shared, from + there, size);
      });
    }
  }

 private:
  /// Calls use(place in the shared memory, place in the array, bytes) for each part of an array in far pages.
  template <class Use>
  void for_each_part(const Slot& slot, const Use& use) const {
    const FarParts& own = slot.far.own;
    for (std::size_t i = 0; i < own.count; ++i) use(memory_ + slot.begin + i * own.size, own.begin(i), own.size);
  }

  const Request& request_;
  std::size_t size_;
  std::byte* memory_ = nullptr;
  std::deque<FarPages> far_;  ///< of the slots that have them, in their order
};

/// Leaves little memory beside arrays past 2^32 elements, so that a plug-in which copies them fails, not the machine.
class MemoryLimit {
 public:
  explicit MemoryLimit(bool far) {
    const std::optional<std::size_t> mapped = metal::system::address_space_bytes();
    if (!far || !mapped || getrlimit(RLIMIT_AS, &former_) != 0) return;
    constexpr std::size_t spare = std::size_t{1} << 32;
    rlimit less = former_;
    less.rlim_cur = std::min<rlim_t>(former_.rlim_cur, *mapped + spare);
    is_set_ = setrlimit(RLIMIT_AS, &less) == 0;
  }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit() {
    if (is_set_) setrlimit(RLIMIT_AS, &former_);
  }

 private:
  rlimit former_{};
  bool is_set_ = false;
};

/// Puts what is found of the call's floating-point operations, if that is wanted, in `findings`.
int call(const Loaded& loaded, Request& request, char* message, std::string& findings) {
  std::optional<Arrays> all;
  try {
    all.emplace(request);
  } catch (const std::system_error& none) {
    std::snprintf(message, message_size, "%s", none.what());
    return ASSAY_UNSUPPORTED;
  }
  const Arrays& arrays = *all;
  arrays.enter(request.problem.data(), request.output.data());
  const MemoryLimit limit(arrays.are_far());
  std::optional<FollowedCall> followed;
  if (request.follows_numerics != 0 && loaded.followed_by != nullptr) followed.emplace(loaded.followed_by);
  const int status = loaded.kernel.run(request.problem.data(), request.output.data(), message, message_size);
  arrays.leave();
  if (followed && status == ASSAY_OK) findings = to_bytes(followed->findings(loaded.symbol, request, arrays.memory()));
  return status;
}

/// Catches exceptions, because a plug-in in C++ may throw instead of returning ASSAY_FAILED.
int call_and_catch(const Loaded& loaded, Request& request, char* message, std::string& findings) {
  try {
    return call(loaded, request, message, findings);
  } catch (const std::exception& thrown) {
    std::snprintf(message, message_size, "run threw %s", thrown.what());
  } catch (...) {
    std::snprintf(message, message_size, "run threw what is no std::exception");
  }
  return ASSAY_FAILED;
}

int serve(const char* path, const std::string& operation, const std::vector<std::string>& operations) {
  limit_files();
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // so that its output is complete if it crashes
  leave_with_the_program();
  report_faults();
  Answer declared;
  const Loaded loaded = load(path, operation, operations, declared);
  write_all(declared);
  for (Request request; read_all(request);) {
    Answer answer;
    answer.event = Event::returned;
    const double before = processor_time();
    std::string findings;
    answer.status = call_and_catch(loaded, request, answer.message.data(), findings);
    answer.processor_time = processor_time() - before;
    answer.message.back() = 0;
    answer.findings_bytes = findings.size();
    write_all(answer);
    write_all(findings.data(), findings.size());
  }
  return 0;
}

}  // namespace
}  // namespace assay::validation::transport

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("assay_plugin_worker calls a plug-in for `assay gate --kernel LIBRARY`; it is not started by hand.\n",
               stderr);
    return 2;
  }
  const int status = assay::validation::transport::serve(argv[1], argv[2], {argv + 3, argv + argc});
  _exit(status);  // without running the plug-in's destructors
}
