// User batches: what was written reads back bit for bit, what NumPy wrote is read, what is hostile is refused in words.
#include "validation/ctc/npz.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "validation/core/npz_archive.h"

namespace assay::validation {
namespace {

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

std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> out;
  for (const float value : values) out.push_back(std::bit_cast<std::uint32_t>(value));
  return out;
}

/// Equality that holds for NaN too.
void expect_same(CtcCase got, CtcCase expected) {
  EXPECT_EQ(bits(got.activations), bits(expected.activations));
  EXPECT_EQ(bits(got.upstream), bits(expected.upstream));
  for (CtcCase* const c : {&got, &expected}) {
    c->activations.clear();
    c->upstream.clear();
  }
  EXPECT_TRUE(got == expected);
}

/// T=3, B=2, C=4 with every kind of number, labels in both rows.
CtcCase small_case() {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CtcCase c;
  c.T = 3;
  c.B = 2;
  c.C = 4;
  for (int i = 0; i < 24; ++i) c.activations.push_back(static_cast<float>(i) / 7 - 1);
  c.activations[3] = infinity;
  c.activations[5] = -infinity;
  c.activations[7] = -0.0F;
  c.activations[9] = std::numeric_limits<float>::denorm_min();
  c.activations[11] = std::bit_cast<float>(0xFFC54321U);
  c.input_lengths = {3, 2};
  set_targets(c, {{1, 3}, {2}});
  return c;
}

CtcCase round_trip(const CtcCase& c) {
  const ScratchFile file;
  write_npz(file.path(), c);
  std::vector<std::string> notes;
  CtcCase back = read_npz(file.path(), notes);
  EXPECT_EQ(notes, std::vector<std::string>{});
  return back;
}

TEST(Npz, RoundTripIsBitExactForEveryOption) {
  for (const CtcInput input : {CtcInput::logits, CtcInput::log_probs})
    for (const CtcVariable variable : {CtcVariable::logits, CtcVariable::log_probs})
      for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean})
        for (const CtcTargets layout : {CtcTargets::padded, CtcTargets::concatenated})
          for (const bool option : {false, true}) {
            CtcCase c = small_case();
            c.input = input;
            c.variable = variable;
            c.reduction = reduction;
            c.layout = layout;
            set_targets(c, {{1, 3}, {2}}, -100);
            c.blank = option ? 2 : 0;
            c.zero_infinity = option;
            if (option) c.upstream.assign(reduction == Reduction::none ? 2 : 1, -0.1F);
            expect_same(round_trip(c), c);
          }
}

TEST(Npz, RoundTripKeepsEmptyDimensions) {
  for (const auto& [T, B, S] : {std::array{0, 2, 1}, {3, 0, 2}, {3, 2, 0}, {0, 0, 0}}) {
    CtcCase c;
    c.T = T;
    c.B = B;
    c.C = 4;
    c.S = S;
    c.activations.assign(static_cast<std::size_t>(T * B * 4), 0.5F);
    c.targets.assign(static_cast<std::size_t>(B * S), 1);
    c.input_lengths.assign(static_cast<std::size_t>(B), T);
    c.target_lengths.assign(static_cast<std::size_t>(B), S);
    expect_same(round_trip(c), c);
  }
}

TEST(Npz, RoundTripKeepsWhatIsWrongWithABatch) {
  CtcCase c = small_case();
  c.targets = {-5, 99, 0, std::numeric_limits<std::int64_t>::min()};
  c.input_lengths = {-1, std::numeric_limits<std::int64_t>::max()};
  c.target_lengths = {-7, 1000};
  c.blank = 77;
  c.upstream = {std::numeric_limits<float>::quiet_NaN(), 1};
  expect_same(round_trip(c), c);
}

TEST(Npz, EqualBatchesGiveEqualFiles) {
  const ScratchFile file;
  write_npz(file.path(), small_case());
  const std::string first = file.bytes();
  write_npz(file.path(), small_case());
  EXPECT_EQ(file.bytes(), first);
  EXPECT_EQ(first.substr(10, 4), std::string("\0\0\x21\0", 4));  // of the year 1980, whenever it was written
}

TEST(Npz, WritesNoBatchWhoseSizesDisagree) {
  const ScratchFile file;
  CtcCase c = small_case();
  c.activations.pop_back();
  EXPECT_EQ(complaint([&] { write_npz(file.path(), c); }),
            "float32 [3, 2, 4]: expected 96 bytes of elements, found 92");
  c = small_case();
  c.target_lengths.push_back(1);
  EXPECT_NE(complaint([&] { write_npz(file.path(), c); }), "accepted");
  c = small_case();
  c.C = 0;
  EXPECT_EQ(complaint([&] { write_npz(file.path(), c); }), "C = 0: expected at least 1");
  EXPECT_FALSE(std::filesystem::exists(file.path()));
  EXPECT_NE(complaint([] { write_npz("/no/such/folder/batch.npz", small_case()); }), "accepted");
}

std::string from_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t pending = 0;
  int pending_bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    pending = pending << 6 | static_cast<std::uint32_t>(digits.find(c));
    pending_bits += 6;
    if (pending_bits < 8) continue;
    pending_bits -= 8;
    out.push_back(static_cast<char>(pending >> pending_bits & 0xFF));
  }
  return out;
}

// NumPy 1.24: np.savez_compressed(file,
//   log_probs=np.asfortranarray(np.log(np.array([[[.5, .25, .25], [.125, .375, .5]],
//                                                [[.25, .5, .25], [.75, .125, .125]]]))),
//   targets=np.array([[1], [2]], dtype=np.uint8), input_lengths=np.array([2, 1], dtype='>i4'),
//   target_lengths=np.array([1, 1]), reduction='mean', words=np.array(['a', 'b'], dtype=object), zero_infinity=True)
constexpr std::string_view from_numpy =
    "UEsDBBQAAAAIAAAAIQAFXbePdgAAAOAAAAANABQAbG9nX3Byb2JzLm5weQEAEADgAAAAAAAAAHYAAAAAAAAAm+wX6hsQychQxlCtnpJanFykbqWg"
    "bpNmoa6joJ6WX1RSlJgXn1+UkgoSDykqTQUKF2ckFqQCuRpGOgpAZKypo1CrQCbgem/565+T3rP9EPrb/uLV1vabFjEcmHTbRDAp8xJcHKZux/Ip"
    "7F+S3sPVocoj1MHkAVBLAwQUAAAACAAAACEAeHegZUgAAACCAAAACwAUAHRhcmdldHMubnB5AQAQAIIAAAAAAAAASAAAAAAAAACb7BfqGxDJyFDG"
    "UK2eklqcXKRupaBeU2qorqOgnpZfVFKUmBefX5SSChJ3S8wpTgWKF2ckFqQC+RpGOgqGmjoKtQpkAy5GJgBQSwMEFAAAAAgAAAAhAGqO4cBLAAAA"
    "iAAAABEAFABpbnB1dF9sZW5ndGhzLm5weQEAEACIAAAAAAAAAEsAAAAAAAAAm+wX6hsQychQxlCtnpJanFykbqWgbpdpoq6joJ6WX1RSlJgXn1+U"
    "kgoSd0vMKU4FihdnJBakAvkaRjqaOgq1ChQALgYGBiYgZgQAUEsDBBQAAAAIAAAAIQDv+5NnSQAAAJAAAAASABQAdGFyZ2V0X2xlbmd0aHMubnB5"
    "AQAQAJAAAAAAAAAASQAAAAAAAACb7BfqGxDJyFDGUK2eklqcXKRupaBuk2mhrqOgnpZfVFKUmBefX5SSChJ3S8wpTgWKF2ckFqQC+RpGOpo6CrUK"
    "FAAuRgYIgNEAUEsDBBQAAAAIAAAAIQA2+l9KTgAAAJAAAAANABQAcmVkdWN0aW9uLm5weQEAEACQAAAAAAAAAE4AAAAAAAAAm+wX6hsQychQxlCt"
    "npJanFykbqWgbhNqoq6joJ6WX1RSlJgXn1+UkgoSd0vMKU4FihdnJBakAvkamjoKtQoUAa5cBgaGVCBOBOI8IAYAUEsDBBQAAAAIAAAAIQDO+QTs"
    "1AAAACoBAAAJABQAd29yZHMubnB5AQAQACoBAAAAAAAA1AAAAAAAAACb7BfqGxDJyFDGUK2eklqcXKRupaBe46+uo6Cell9UUpSYF59flJIKEnZL"
    "zClOBYoXZyQWpAL5GkY6mjoKtQqUAK4G5uS80tyCSr3k/KJUvdzSnJLMxKKixEqu+KLU5Py84pKi0uQSrkIGiCquvBSIbCGjN0NrIZMzY1Ihc3sh"
    "S1Ahq4Y3ozdTayEbVGFKSWVBKlchewQTAwODv0UhR2dHeyFnUCGXhjdzBCNQrKaQ28/Pz+s/EIAJb/uSQp6kzthCXg2wfGIhH5hOKuRPLSkUSNID"
    "AFBLAwQUAAAACAAAACEAgi3400MAAACBAAAAEQAUAHplcm9faW5maW5pdHkubnB5AQAQAIEAAAAAAAAAQwAAAAAAAACb7BfqGxDJyFDGUK2eklqc"
    "XKRupaBek2SorqOgnpZfVFKUmBefX5SSChJ3S8wpTgWKF2ckFqQC+RqaOgq1ChQBLkYAUEsBAhQDFAAAAAgAAAAhAAVdt492AAAA4AAAAA0AAAAA"
    "AAAAAAAAAIABAAAAAGxvZ19wcm9icy5ucHlQSwECFAMUAAAACAAAACEAeHegZUgAAACCAAAACwAAAAAAAAAAAAAAgAG1AAAAdGFyZ2V0cy5ucHlQ"
    "SwECFAMUAAAACAAAACEAao7hwEsAAACIAAAAEQAAAAAAAAAAAAAAgAE6AQAAaW5wdXRfbGVuZ3Rocy5ucHlQSwECFAMUAAAACAAAACEA7/uTZ0kA"
    "AACQAAAAEgAAAAAAAAAAAAAAgAHIAQAAdGFyZ2V0X2xlbmd0aHMubnB5UEsBAhQDFAAAAAgAAAAhADb6X0pOAAAAkAAAAA0AAAAAAAAAAAAAAIAB"
    "VQIAAHJlZHVjdGlvbi5ucHlQSwECFAMUAAAACAAAACEAzvkE7NQAAAAqAQAACQAAAAAAAAAAAAAAgAHiAgAAd29yZHMubnB5UEsBAhQDFAAAAAgA"
    "AAAhAIIt+NNDAAAAgQAAABEAAAAAAAAAAAAAAIAB8QMAAHplcm9faW5maW5pdHkubnB5UEsFBgAAAAAHAAcApAEAAHcEAAAAAA==";

TEST(Npz, ReadsWhatNumPyWrote) {
  const ScratchFile file(from_base64(from_numpy));
  std::vector<std::string> notes;
  const CtcCase got = read_npz(file.path(), notes);
  EXPECT_EQ(notes, (std::vector<std::string>{"log_probs: 12 of 12 values of float64 were rounded to float32",
                                             "array 'words' was left aside"}));
  CtcCase expected;
  expected.T = 2;
  expected.B = 2;
  expected.C = 3;
  for (const double y : {.5, .25, .25, .125, .375, .5, .25, .5, .25, .75, .125, .125})
    expected.activations.push_back(static_cast<float>(std::log(y)));
  set_targets(expected, {{1}, {2}});
  expected.input_lengths = {2, 1};
  expected.input = CtcInput::log_probs;
  expected.reduction = Reduction::mean;
  expected.zero_infinity = true;
  expect_same(got, expected);
}

/// The arrays of a good batch, for a test to spoil: T=3, B=2, C=4, S=2.
NpyArrays arrays() {
  return {{"logits", npy_array(std::vector<float>(24, 0.5F), {3, 2, 4})},
          {"targets", npy_array(std::vector<std::int64_t>{1, 3, 2, -1}, {2, 2})},
          {"input_lengths", npy_array(std::vector<std::int64_t>{3, 2}, {2})},
          {"target_lengths", npy_array(std::vector<std::int64_t>{2, 1}, {2})}};
}

NpyArray integers(const std::vector<std::int64_t>& elements) {
  return npy_array(elements, {static_cast<std::int64_t>(elements.size())});
}

NpyArray scalar(std::int64_t value) {
  return npy_array(std::vector{value}, {});
}

NpyArray floats(std::vector<std::int64_t> shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  return npy_array(std::vector<float>(static_cast<std::size_t>(size)), std::move(shape));
}

CtcCase read(const NpyArrays& arrays) {
  const ScratchFile file;
  write_npz_archive(file.path(), arrays);
  return read_npz(file.path());
}

TEST(Npz, ReadsOneRowWithoutABatchAxis) {
  const CtcCase c = read({{"log_probs", floats({5, 4})},
                          {"targets", integers({1, 2, 3})},
                          {"input_lengths", scalar(5)},
                          {"target_lengths", scalar(2)}});
  EXPECT_EQ((std::array{c.T, c.B, c.C, c.S}), (std::array<std::int64_t, 4>{5, 1, 4, 3}));
  EXPECT_EQ(c.layout, CtcTargets::padded);
  EXPECT_EQ(c.labels(0), (std::vector<std::int64_t>{1, 2}));
}

TEST(Npz, ReadsConcatenatedTargets) {
  NpyArrays batch = arrays();
  batch["targets"] = integers({1, 3, 2});
  const CtcCase c = read(batch);
  EXPECT_EQ(c.layout, CtcTargets::concatenated);
  EXPECT_EQ(c.S, 2);
  EXPECT_EQ(c.labels(1), std::vector<std::int64_t>{2});
}

struct Bad {
  std::string name;
  NpyArrays changes;  ///< arrays of `arrays()` replaced or added
  std::string removed;
  std::string expected;  ///< the end of the complaint
};

void PrintTo(const Bad& bad, std::ostream* out) {
  *out << bad.name;
}

class NpzBad : public testing::TestWithParam<Bad> {};

TEST_P(NpzBad, IsRefusedInWords) {
  NpyArrays batch = arrays();
  batch.erase(GetParam().removed);
  for (const auto& [name, array] : GetParam().changes) batch[name] = array;
  const std::string got = complaint([&] { read(batch); });
  EXPECT_TRUE(got.ends_with(".npz: " + GetParam().expected)) << got;
}

const std::string wanted = "; expected logits or log_probs, targets, input_lengths and target_lengths";

const std::vector<Bad> bad_batches = {
    {"NoActivations", {}, "logits", "no array 'logits': found input_lengths, target_lengths, targets" + wanted},
    {"OtherNames",
     {{"labels", integers({1})}},
     "targets",
     "no array 'targets': found labels, input_lengths, logits, target_lengths" + wanted},
    {"NoInputLengths", {}, "input_lengths", "no array 'input_lengths': found logits, target_lengths, targets" + wanted},
    {"NoTargetLengths",
     {},
     "target_lengths",
     "no array 'target_lengths': found input_lengths, logits, targets" + wanted},
    {"TwoActivations", {{"log_probs", floats({3, 2, 4})}}, "", "both logits and log_probs: expected one of them"},
    {"ActivationsOfRank1", {{"logits", floats({12})}}, "", "logits: float32 [12]: expected [T, B, C] or [T, C]"},
    {"ActivationsOfRank4",
     {{"logits", floats({1, 3, 2, 4})}},
     "",
     "logits: float32 [1, 3, 2, 4]: expected [T, B, C] or [T, C]"},
    {"ActivationsScalar", {{"logits", floats({})}}, "", "logits: float32 []: expected [T, B, C] or [T, C]"},
    {"NoClasses", {{"logits", floats({3, 2, 0})}}, "", "logits: float32 [3, 2, 0]: expected at least one class"},
    {"IntegerActivations",
     {{"logits", npy_array(std::vector<std::int64_t>(24), {3, 2, 4})}},
     "",
     "logits: int64 [3, 2, 4]: expected float16, float32 or float64"},
    {"TargetsOfAnotherBatch",
     {{"targets", npy_array(std::vector<std::int64_t>(6), {3, 2})}},
     "",
     "targets: int64 [3, 2]: expected [B=2, S] or [sum of target_lengths]; are the activations batch first? transpose "
     "them"},
    {"TargetsScalar", {{"targets", scalar(1)}}, "", "targets: int64 []: expected [B=2, S] or [sum of target_lengths]"},
    {"FloatTargets", {{"targets", floats({2, 2})}}, "", "targets: float32 [2, 2]: expected an integer type"},
    {"ThreeLengths",
     {{"target_lengths", integers({1, 1, 1, 1})}},
     "",
     "target_lengths: int64 [4]: expected [B=2], for the activations are [T=3, B=2, C=4]"},
    {"BatchFirst",
     {{"input_lengths", integers({2, 2, 2})}},
     "",
     "input_lengths: int64 [3]: expected [B=2], for the activations are [T=3, B=2, C=4]; are the activations batch "
     "first? transpose them"},
    {"OneLengthForTwoRows",
     {{"input_lengths", scalar(3)}},
     "",
     "input_lengths: int64 []: expected [B=2], for the activations are [T=3, B=2, C=4]"},
    {"FloatLengths", {{"input_lengths", floats({2})}}, "", "input_lengths: float32 [2]: expected an integer type"},
    {"BlankOfTwo", {{"blank", integers({0, 0})}}, "", "blank: int64 [2]: expected a scalar"},
    {"BlankText", {{"blank", npy_text_array("0")}}, "", "blank: <U1 []: expected an integer type"},
    {"Reduction", {{"reduction", npy_text_array("avg")}}, "", "reduction = 'avg': expected one of none, sum, mean"},
    {"ReductionNumber", {{"reduction", scalar(1)}}, "", "reduction: int64 []: expected text (unicode)"},
    {"Variable", {{"variable", npy_text_array("probs")}}, "", "variable = 'probs': expected one of logits, log_probs"},
    {"ZeroInfinity", {{"zero_infinity", scalar(1)}}, "", "zero_infinity: int64 []: expected bool"},
    {"UpstreamOfNone", {{"upstream", floats({3})}}, "", "upstream: float32 [3]: expected [B=2] for reduction none"},
    {"UpstreamOfSum",
     {{"upstream", floats({2})}, {"reduction", npy_text_array("sum")}},
     "",
     "upstream: float32 [2]: expected a scalar for reduction sum or mean"},
};

INSTANTIATE_TEST_SUITE_P(Batches, NpzBad, testing::ValuesIn(bad_batches),
                         [](const auto& instance) { return instance.param.name; });

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

std::string complaint_about(const std::string& bytes) {
  const ScratchFile file(bytes);
  return complaint([&] { read_npz(file.path()); });
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
  EXPECT_EQ(told([&](LyingZip& zip) { zip.add("logits.npy", logits, 0xFFFFFFF0U, checksum); }),
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
  EXPECT_TRUE(complaint_about("").ends_with("Not a zip archive"));
  EXPECT_TRUE(complaint_about("hello, world").ends_with("Not a zip archive"));
  EXPECT_TRUE(complaint_about(format_npy(scalar(1))).ends_with("Not a zip archive"));
  EXPECT_EQ(complaint([] { read_npz("/no/such/batch.npz"); }), "/no/such/batch.npz: No such file");
  EXPECT_NE(complaint([] { read_npz("/"); }), "accepted");
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
  write_npz(file.path(), small_case());
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

}  // namespace
}  // namespace assay::validation
