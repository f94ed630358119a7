// Files: a text reaches its reader in full, in however many pieces the system takes it.
#include "validation/core/file.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

namespace assay::validation {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    from = metal::Descriptor(ends[0]);
    to = metal::Descriptor(ends[1]);
  }
  metal::Descriptor from, to;
};

std::string numbered(std::size_t size) {
  std::string text;
  while (text.size() < size) text += std::to_string(text.size()) + "\n";
  return text;
}

/// A signal ends the system's write() early: with a part of the bytes, or with EINTR where none was written yet.
TEST(WriteAll, WritesEachByteOnceUnderSignals) {
  struct sigaction interrupts{};
  struct sigaction former{};
  interrupts.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &interrupts, &former), 0);
  const Pipe pipe;
  const std::string text = numbered(std::size_t{1} << 20);
  std::promise<pthread_t> writer;
  auto written = std::async(std::launch::async, [&] {
    writer.set_value(pthread_self());
    return write_all(pipe.to.number(), text);
  });
  const pthread_t thread = writer.get_future().get();
  std::string got;
  for (std::array<char, 4096> buffer{}; got.size() < text.size();) {
    pthread_kill(thread, SIGUSR1);
    std::this_thread::yield();
    pthread_kill(thread, SIGUSR1);
    const ssize_t count = read(pipe.from.number(), buffer.data(), buffer.size());
    if (count > 0) got.append(buffer.data(), static_cast<std::size_t>(count));
  }
  EXPECT_TRUE(written.get());
  EXPECT_TRUE(got == text);
  sigaction(SIGUSR1, &former, nullptr);
}

TEST(WriteAll, SaysThatNobodyReads) {
  const auto former = std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  {
    const metal::Descriptor closed = std::move(pipe.from);
  }
  EXPECT_TRUE(write_all(pipe.to.number(), ""));
  EXPECT_FALSE(write_all(pipe.to.number(), "text"));
  EXPECT_EQ(errno, EPIPE);
  std::signal(SIGPIPE, former);
}

}  // namespace
}  // namespace assay::validation
