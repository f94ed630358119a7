// What each operating system does in its own way, on this one. Signals are tested with the emulator and with plug-ins.
#include "metal/system/system.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>

namespace assay::metal::system {
namespace {

constexpr std::size_t bytes = std::size_t{1} << 20;

std::byte* mapped(int flags, int file) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  std::memset(memory, 7, bytes);
  return static_cast<std::byte*>(memory);
}

std::ptrdiff_t sevens(const std::byte* memory) {
  return std::count(memory, memory + bytes, std::byte{7});
}

TEST(System, ZeroesPages) {
  std::byte* const memory = mapped(MAP_PRIVATE | MAP_ANONYMOUS, -1);
  advise_huge_pages(memory, bytes);
  fill_pages(memory, bytes);
  leave_out_of_dumps(memory, bytes);
  EXPECT_EQ(sevens(memory), std::ptrdiff_t{bytes}) << "advice changes nothing";
  zero_pages(memory, bytes);
  EXPECT_EQ(std::count(memory, memory + bytes, std::byte{0}), std::ptrdiff_t{bytes});
  memory[bytes - 1] = std::byte{7};
  EXPECT_EQ(sevens(memory), 1);
  munmap(memory, bytes);
}

TEST(System, OpensAFileWithoutAName) {
  const int file = open_anonymous_file();
  ASSERT_GE(file, 0);
  ASSERT_EQ(ftruncate(file, bytes), 0);
  EXPECT_NE(fcntl(file, F_GETFD) & FD_CLOEXEC, 0);
  std::byte* const memory = mapped(MAP_SHARED, file);
  map_pages(memory, bytes);
  EXPECT_EQ(sevens(memory), std::ptrdiff_t{bytes}) << "pages keep what they hold";
  munmap(memory, bytes);
  close(file);
}

#ifdef MADV_POPULATE_READ
long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

TEST(System, MapsPagesOfAFileWithFewFaults) {
  const int file = open_anonymous_file();
  ASSERT_EQ(ftruncate(file, bytes), 0);
  munmap(mapped(MAP_SHARED, file), bytes);  // finds memory for the file
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (madvise(memory, 1, MADV_POPULATE_READ) != 0) GTEST_SKIP() << "this system maps pages one by one";
  const long before = page_faults();
  map_pages(memory, bytes);
  std::memset(memory, 8, bytes);
  EXPECT_LT(page_faults() - before, static_cast<long>(bytes) / sysconf(_SC_PAGESIZE) / 2);
  munmap(memory, bytes);
  close(file);
}
#endif

TEST(System, CountsItsAddresses) {
  const std::optional<std::size_t> before = address_space_bytes();
  if (!before) GTEST_SKIP() << "this system does not tell";
  std::byte* const memory = mapped(MAP_PRIVATE | MAP_ANONYMOUS, -1);
  EXPECT_GE(*address_space_bytes(), *before + bytes);
  munmap(memory, bytes);
}

TEST(System, TellsItsProcessor) {
  EXPECT_EQ(processor_features(), processor_features());
  EXPECT_FALSE(processor_features().empty());
}

}  // namespace
}  // namespace assay::metal::system
