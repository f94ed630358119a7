// Linux, x86-64 and aarch64: system.h says what each function does.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <gnu/lib-names.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <optional>
#include <string>

#include "metal/system/elf.h"

namespace assay::metal::system {

inline void advise_huge_pages(void* memory, std::size_t bytes) {
  madvise(memory, bytes, MADV_HUGEPAGE);
}

inline void fill_pages(void* memory, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  madvise(memory, bytes, MADV_POPULATE_WRITE);
#else
  (void)memory, (void)bytes;
#endif
}

inline void leave_out_of_dumps(void* memory, std::size_t bytes) {
  madvise(memory, bytes, MADV_DONTDUMP);
}

inline void zero_pages(void* memory, std::size_t bytes) {
  madvise(memory, bytes, MADV_DONTNEED);
}

inline void map_pages(void* memory, std::size_t bytes) {
#ifdef MADV_POPULATE_READ
  madvise(memory, bytes, MADV_POPULATE_READ);
#else
  (void)memory, (void)bytes;
#endif
}

inline void refuse_huge_pages() {
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

inline int open_anonymous_file() {
  return memfd_create("assay", MFD_CLOEXEC);
}

inline pid_t start_process(int (*body)(void*), void* argument) {
  // Not fork(), which copies the page tables and runs what libraries such as OpenBLAS registered for it.
  alignas(16) std::array<std::byte, std::size_t{64} << 10> stack;
  return clone(body, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, argument);
}

inline bool ends_within(pid_t process, int seconds) {
#ifdef SYS_pidfd_open
  const int file = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (file < 0) return true;  // an old kernel: waited for without a limit
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  int ready = 0;
  do {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    pollfd ended{.fd = file, .events = POLLIN, .revents = 0};
    ready = poll(&ended, 1, static_cast<int>(left > 0 ? left : 0));
  } while (ready < 0 && errno == EINTR);
  close(file);
  return ready != 0;
#else
  (void)process, (void)seconds;
  return true;
#endif
}

inline bool is_mathematics(const std::string& name) {
  static void* const library = dlopen(LIBM_SO, RTLD_NOW);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, name.c_str());
  Dl_info found{};
  return symbol != nullptr && dladdr(symbol, &found) != 0 && std::string_view(found.dli_fname).ends_with(LIBM_SO);
}

inline std::string processor_features() {
  std::ifstream information("/proc/cpuinfo");
  for (std::string line; std::getline(information, line);)
    if (line.starts_with("flags") || line.starts_with("Features")) return line;
  return {};
}

inline std::optional<std::size_t> address_space_bytes() {
  std::ifstream statistics("/proc/self/statm");
  std::size_t pages = 0;
  if (!(statistics >> pages)) return std::nullopt;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

inline std::optional<double> processor_seconds(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return std::nullopt;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline void end_with_parent(int signal) {
  prctl(PR_SET_PDEATHSIG, signal);
}

inline bool has_address(const siginfo_t& info) {
  return info.si_code != SI_KERNEL;
}

#if defined(__x86_64__)

inline std::uintptr_t program_counter(void* context) {
  return static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
}

inline void set_registers(void* context, std::uintptr_t pc, std::uintptr_t stack_top) {
  auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  machine.gregs[REG_RIP] = static_cast<greg_t>(pc);
  machine.gregs[REG_RSP] = static_cast<greg_t>(stack_top - sizeof(void*));
}

inline std::optional<bool> is_write(const void* context) {
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
}

#else

inline std::uintptr_t program_counter(void* context) {
  return static_cast<ucontext_t*>(context)->uc_mcontext.pc;
}

inline void set_registers(void* context, std::uintptr_t pc, std::uintptr_t stack_top) {
  auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  machine.pc = pc;
  machine.sp = stack_top;
}

inline std::optional<bool> is_write(const void*) {
  return std::nullopt;
}

#endif

}  // namespace assay::metal::system
