// Threads that are waited for at the end of a scope; libc++ 19 has no std::jthread.
#pragma once

#include <thread>
#include <utility>
#include <vector>

namespace assay::metal {

class JoinedThreads {
 public:
  JoinedThreads() = default;
  JoinedThreads(const JoinedThreads&) = delete;
  JoinedThreads& operator=(const JoinedThreads&) = delete;
  ~JoinedThreads() {
    for (std::thread& thread : threads_) thread.join();
  }

  /// Throws std::system_error if the system gives no thread.
  template <class... Call>
  void add(Call&&... call) {
    threads_.emplace_back(std::forward<Call>(call)...);
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace assay::metal
