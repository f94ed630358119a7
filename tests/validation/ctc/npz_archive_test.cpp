// User batches: archives that lie or are damaged are refused, and nothing else happens.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#include "tests/refusal.h"
#include "tests/validation/npz_files.h"
#include "validation/core/memory_limit.h"

namespace assay::validation {
namespace {

/// A zip archive of stored entries, made by hand so that it can lie.
class LyingZip {
 public:
  void add(const std::string& name, const std::string& content, std::uint32_t claimed_size, std::uint32_t checksum) {
    const std::string shared = number(20, 2) + number(0, 2) + number(0, 2) + number(0, 2) + number(33, 2) +
                               number(checksum, 4) + number(content.size(), 4) + number(claimed_size, 4) +
                               number(name.size(), 2) + number(0, 2);
    const std::size_t offset = local_.size();
    local_ += "PK\3\4" + shared + name + content;
    central_ += "PK\1\2" + number(20, 2) + shared + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) +
                number(offset, 4) + name;
    ++entries_;
  }

  void add(const std::string& name, const std::string& content) {
    add(name, content, static_cast<std::uint32_t>(content.size()), crc32(content));
  }

  std::string bytes() const {
    return local_ + central_ + "PK\5\6" + number(0, 4) + number(entries_, 2) + number(entries_, 2) +
           number(central_.size(), 4) + number(local_.size(), 4) + number(0, 2);
  }

  static std::uint32_t crc32(const std::string& bytes) {
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const char byte : bytes) {
      crc ^= static_cast<unsigned char>(byte);
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0U);
    }
    return ~crc;
  }

 private:
  static std::string number(std::uint64_t value, int width) {
    std::string out;
    for (int i = 0; i < width; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
    return out;
  }

  std::string local_, central_;
  std::uint64_t entries_ = 0;
};

class MemoryLimit {
 public:
  explicit MemoryLimit(double gibibytes) { set_memory_limit(gibibytes); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit() { set_memory_limit(default_memory_limit); }
};

std::string complaint_about(const std::string& bytes) {
  const ScratchFile file(bytes);
  return refusal_of<std::exception>([&] { CtcOperation::read(file.path()); });
}

/// A good batch, stored, of which the logits are as given.
LyingZip zip_without_logits() {
  LyingZip zip;
  for (const auto& [name, array] : arrays())
    if (name != "logits") zip.add(name + ".npy", format_npy(array));
  return zip;
}

TEST(NpzArchive, ReadsStoredEntries) {
  LyingZip zip = zip_without_logits();
  zip.add("logits.npy", format_npy(arrays()["logits"]));
  EXPECT_EQ(complaint_about(zip.bytes()), "accepted");
}

TEST(NpzArchive, RefusesWhatLies) {
  const std::string logits = format_npy(arrays()["logits"]);
  const std::uint32_t checksum = LyingZip::crc32(logits);
  const auto told = [&](const auto& add) {
    LyingZip zip = zip_without_logits();
    add(zip);
    const std::string got = complaint_about(zip.bytes());
    return got.substr(got.find(".npz: ") + 6);
  };
  EXPECT_EQ(told([&](LyingZip& zip) { zip.add("logits.npy", logits, 224, checksum + 1); }), "logits: CRC error");
  EXPECT_EQ(told([&](LyingZip& zip) { zip.add("logits.npy", logits, 0x10000000U, checksum); }),
            "logits: Zip archive inconsistent");
  std::string claims = logits;  // 2^30 floats where there are 24
  claims.replace(claims.find("(3, 2, 4), }"), 18, "(16384, 16384, 4)}");
  EXPECT_EQ(told([&](LyingZip& zip) { zip.add("logits.npy", claims); }),
            "logits: float32 [16384, 16384, 4]: expected 4294967296 bytes of elements, found 96");
  const std::string found = told([&](LyingZip& zip) {
    zip.add("logits.npy", logits);
    zip.add("logits.npy", logits);
  });
  EXPECT_EQ(found, "logits: there twice: expected one array of each name");
  EXPECT_EQ(told([&](LyingZip& zip) { zip.add("logits.npy", "cos\nsystem\n(S'true'\ntR."); }),
            "logits: not a .npy file: expected \\x93NUMPY first");
}

TEST(NpzArchive, VerifiesTheChecksumOfALargeArray) {
  LyingZip zip = zip_without_logits();
  const std::string logits = format_npy(floats({3, 2, 5000}));
  zip.add("logits.npy", logits, static_cast<std::uint32_t>(logits.size()), LyingZip::crc32(logits) + 1);
  EXPECT_TRUE(complaint_about(zip.bytes()).ends_with("logits: CRC error"));
}

TEST(NpzArchive, RefusesWhatIsNoArchive) {
  EXPECT_THAT(complaint_about(""), EndsWith("this is an empty file"));
  EXPECT_THAT(complaint_about("PK\x03\x04 cut short"), EndsWith("Not a zip archive"));
  EXPECT_EQ(refusal_of<std::exception>([] { CtcOperation::read("/no/such/batch.npz"); }),
            "/no/such/batch.npz: No such file");
  EXPECT_NE(refusal_of<std::exception>([] { CtcOperation::read("/"); }), "accepted");
}

/// One way to damage a file: a truncation, or up to four bytes changed.
std::string damaged(std::string bytes, std::mt19937& random) {
  const auto position = [&] { return random() % bytes.size(); };
  if (random() % 4 == 0) return bytes.substr(0, position());
  for (auto changes = 1 + random() % 4; changes > 0; --changes)
    bytes[position()] ^= static_cast<char>(1 + random() % 255);
  return bytes;
}

TEST(NpzArchive, SurvivesDamage) {
  const ScratchFile file;
  write_npz(file.path(), read_as<CtcOperation>(arrays()));
  LyingZip stored;
  for (const auto& [name, array] : arrays()) stored.add(name + ".npy", format_npy(array));
  std::mt19937 random(20240229);
  int refused = 0;
  for (const std::string& good : {file.bytes(), stored.bytes()})
    for (int i = 0; i < 1000; ++i) {
      const std::string got = complaint_about(damaged(good, random));
      refused += got != "accepted";
    }
  EXPECT_GT(refused, 1000);  // some bytes of a zip mean nothing: dates, attributes
}

TEST(NpzArchive, SurvivesDamageBehindTheChecksum) {
  std::mt19937 random(20240301);
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    LyingZip zip = zip_without_logits();
    std::string logits = format_npy(arrays()["logits"]);
    std::string header = damaged(logits.substr(0, 72), random);
    zip.add("logits.npy", header + logits.substr(72));
    refused += complaint_about(zip.bytes()) != "accepted";
  }
  EXPECT_GT(refused, 500);
}

/// Zeros compress a thousandfold: 7 MB can unpack to more memory than the machine has.
TEST(NpzArchive, IsRefusedBeforeItUnpacksToMoreThanIsAllowed) {
  const ScratchFile file;
  NpyArrays many = arrays();
  many["logits"] = npy_array(std::vector<float>(1 << 20, 0.0F), {1 << 10, 1 << 8, 4});
  write_npz_archive(file.path(), many);
  const MemoryLimit limit(0.001);
  const std::string refusal = refusal_of<std::exception>([&] { CtcOperation::read(file.path()); });
  EXPECT_THAT(refusal, HasSubstr("the arrays, unpacked, take 0.00391 GiB: expected at most 0.001 GiB (--max-memory"));
}

/// The sizes of all arrays count together.
TEST(NpzArchive, IsRefusedForTheSumOfItsArrays) {
  const ScratchFile file;
  const NpyArray half = npy_array(std::vector<float>(1 << 18, 0.0F), {1 << 18});
  write_npz_archive(file.path(), {{"a", half}, {"b", half}, {"not asked for", half}});
  const MemoryLimit limit(0.001);
  EXPECT_NO_THROW(read_npz_archive(file.path(), {"a"}));
  EXPECT_THROW(read_npz_archive(file.path(), {"a", "b"}), std::runtime_error);
  EXPECT_THROW(set_memory_limit(0), std::invalid_argument);
}

}  // namespace
}  // namespace assay::validation
