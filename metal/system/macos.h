// macOS, arm64 and x86-64: system.h says what each function does. Not run on a Mac yet.
#pragma once

#include <fcntl.h>
#include <libproc.h>
#include <mach/mach_time.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysctl.h>
#include <sys/types.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::metal::system {

/// The system chooses the size of pages by itself.
inline void advise_huge_pages(void*, std::size_t) {}
inline void fill_pages(void*, std::size_t) {}
inline void map_pages(void*, std::size_t) {}
inline void refuse_huge_pages() {}

/// Core dumps are off unless asked for, and no advice leaves memory out of them.
inline void leave_out_of_dumps(void*, std::size_t) {}

/// After MADV_DONTNEED, macOS may keep what private pages hold. New pages in their place are zero.
inline void zero_pages(void* memory, std::size_t bytes) {
  (void)mmap(memory, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

inline int open_anonymous_file() {
  std::string pattern = (std::filesystem::temp_directory_path() / "assay-XXXXXX").string();
  const int number = mkostemp(pattern.data(), O_CLOEXEC);
  if (number >= 0) unlink(pattern.c_str());
  return number;
}

inline pid_t start_process(int (*body)(void*), void* argument) {
  const pid_t process = fork();
  if (process == 0) _exit(body(argument));
  return process;
}

/// Waited for without a limit here.
inline bool ends_within(pid_t, int) {
  return true;
}

/// Not read here: nothing is refused for the functions that it calls.
inline std::vector<std::string> undefined_symbols(std::string_view) {
  return {};
}

inline bool is_mathematics(const std::string&) {
  return true;
}

inline std::string processor_features() {
  char brand[256] = {};
  std::size_t length = sizeof brand - 1;
  return sysctlbyname("machdep.cpu.brand_string", brand, &length, nullptr, 0) == 0 ? brand : "";
}

inline std::optional<std::size_t> address_space_bytes() {
  return std::nullopt;
}

inline std::optional<double> processor_seconds(pid_t process) {
  rusage_info_v2 usage{};
  mach_timebase_info_data_t tick{};
  if (proc_pid_rusage(process, RUSAGE_INFO_V2, reinterpret_cast<rusage_info_t*>(&usage)) != 0 ||
      mach_timebase_info(&tick) != KERN_SUCCESS)
    return std::nullopt;
  const auto ticks = static_cast<double>(usage.ri_user_time + usage.ri_system_time);
  return 1e-9 * ticks * tick.numer / tick.denom;
}

/// The system has no such wish.
inline void end_with_parent(int) {}

inline std::optional<bool> is_write(const void*) {
  return std::nullopt;
}

inline bool has_address(const siginfo_t&) {
  return true;
}

#if defined(__aarch64__)

inline std::uintptr_t program_counter(void* context) {
  return static_cast<ucontext_t*>(context)->uc_mcontext->__ss.__pc;
}

inline void set_registers(void* context, std::uintptr_t pc, std::uintptr_t stack_top) {
  auto& state = static_cast<ucontext_t*>(context)->uc_mcontext->__ss;
  state.__pc = pc;
  state.__sp = stack_top;
}

#else

inline std::uintptr_t program_counter(void* context) {
  return static_cast<ucontext_t*>(context)->uc_mcontext->__ss.__rip;
}

inline void set_registers(void* context, std::uintptr_t pc, std::uintptr_t stack_top) {
  auto& state = static_cast<ucontext_t*>(context)->uc_mcontext->__ss;
  state.__rip = pc;
  state.__rsp = stack_top - sizeof(void*);
}

#endif

}  // namespace assay::metal::system
