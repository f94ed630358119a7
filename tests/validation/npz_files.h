// What the tests of .npz files share: files that go with their tests, and batches for them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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

template <class Action>
std::string complaint(const Action& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

inline std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> out;
  for (const float value : values) out.push_back(std::bit_cast<std::uint32_t>(value));
  return out;
}

/// Equality that holds for NaN too.
inline void expect_same(CtcCase got, CtcCase expected) {
  EXPECT_EQ(bits(got.activations), bits(expected.activations));
  EXPECT_EQ(bits(got.upstream), bits(expected.upstream));
  for (CtcCase* const c : {&got, &expected}) {
    c->activations.clear();
    c->upstream.clear();
  }
  EXPECT_TRUE(got == expected);
}

/// T=3, B=2, C=4 with every kind of number, labels in both rows.
inline CtcCase small_case() {
  constexpr float inf = std::numeric_limits<float>::infinity();
  CtcCase c;
  c.T = 3;
  c.B = 2;
  c.C = 4;
  for (int i = 0; i < 24; ++i) c.activations.push_back(static_cast<float>(i) / 7 - 1);
  c.activations[3] = inf;
  c.activations[5] = -inf;
  c.activations[7] = -0.0F;
  c.activations[9] = std::numeric_limits<float>::denorm_min();
  c.activations[11] = std::bit_cast<float>(0xFFC54321U);
  c.input_lengths = {3, 2};
  set_targets(c, {{1, 3}, {2}});
  return c;
}

inline CtcCase round_trip(const CtcCase& c) {
  const ScratchFile file;
  write_npz(file.path(), c);
  std::vector<std::string> notes;
  CtcCase back = CtcOperation::read(file.path(), notes);
  EXPECT_EQ(notes, std::vector<std::string>{});
  return back;
}

/// The arrays of a good batch, for a test to spoil: T=3, B=2, C=4, S=2.
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

inline CtcCase read(const NpyArrays& arrays) {
  const ScratchFile file;
  write_npz_archive(file.path(), arrays);
  return CtcOperation::read(file.path());
}

}  // namespace assay::validation
