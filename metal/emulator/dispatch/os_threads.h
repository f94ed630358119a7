// Work on several OS threads.
#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>

#include "metal/device/joined_threads.h"

namespace assay::metal::emulator {

/// Calls work(0) on this OS thread and work(n), for each other n below `count`, on an OS thread of its own, and waits
/// for all. If the system gives fewer threads, the other calls are left out: the work must be shared out as it is done.
/// Throws what one of the others throws.
template <class Work>
void on_os_threads(std::size_t count, const Work& work) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto guarded = [&](std::size_t n) {
    try {
      work(n);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  {
    JoinedThreads others;
    try {
      for (std::size_t n = 1; n < count; ++n) others.add(guarded, n);
    } catch (const std::system_error&) {  // it takes longer, and the result is the same
    }
    guarded(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace assay::metal::emulator
