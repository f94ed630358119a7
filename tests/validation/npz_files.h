// What the tests of .npz files share: files that go with their tests, and batches for them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/matchers.h"
#include "tests/refusal.h"
#include "validation/core/npz.h"
#include "validation/core/npz_archive.h"
#include "validation/ctc/operation.h"

namespace assay::validation {

/// A path that nothing else has; the file there goes with it.
class ScratchFile {
 public:
  ScratchFile() : path_(fmt::format("{}assay-npz-test-{}-{}.npz", testing::TempDir(), getpid(), ++made_)) {}
  explicit ScratchFile(const std::string& bytes) : ScratchFile() { fill(bytes); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { std::filesystem::remove(path_); }

  void fill(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  inline static int made_ = 0;
  std::filesystem::path path_;
};

/// The arrays of a good CTC batch, for a test to spoil: T=3, B=2, C=4, S=2.
inline NpyArrays arrays() {
  return {{"logits", npy_array(std::vector<float>(24, 0.5F), {3, 2, 4})},
          {"targets", npy_array(std::vector<std::int64_t>{1, 3, 2, -1}, {2, 2})},
          {"input_lengths", npy_array(std::vector<std::int64_t>{3, 2}, {2})},
          {"target_lengths", npy_array(std::vector<std::int64_t>{2, 1}, {2})}};
}

inline NpyArray integers(const std::vector<std::int64_t>& elements) {
  return npy_array(elements, {static_cast<std::int64_t>(elements.size())});
}

inline NpyArray scalar(std::int64_t value) {
  return npy_array(std::vector{value}, {});
}

inline NpyArray floats(std::vector<std::int64_t> shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  return npy_array(std::vector<float>(static_cast<std::size_t>(size)), std::move(shape));
}

template <class O>
typename O::Case read_as(const NpyArrays& arrays, std::vector<std::string>& notes) {
  const ScratchFile file;
  write_npz_archive(file.path(), arrays);
  return O::read(file.path(), notes);
}

/// As read without a note.
template <class O>
typename O::Case read_as(const NpyArrays& arrays) {
  std::vector<std::string> notes;
  typename O::Case c = read_as<O>(arrays, notes);
  EXPECT_THAT(notes, IsEmpty());
  return c;
}

/// What makes no batch of a good one, and what is said of it.
struct BadArrays {
  NpyArrays changes;     ///< arrays replaced or added
  std::string expected;  ///< the end of the refusal
  std::string removed = "";
};

template <class O>
void expect_refused(const NpyArrays& good, const std::vector<BadArrays>& all) {
  for (const BadArrays& bad : all) {
    NpyArrays batch = good;
    batch.erase(bad.removed);
    for (const auto& [name, array] : bad.changes) batch[name] = array;
    const std::string got = refusal_of<std::exception>([&] { read_as<O>(batch); });
    EXPECT_TRUE(got.ends_with(".npz: " + bad.expected)) << got << "\nexpected " << bad.expected;
  }
}

}  // namespace assay::validation
