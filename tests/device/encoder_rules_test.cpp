// The rules of encoders at their edges, and the error that an encoder keeps when a rule is broken.
#include "metal/device/encoder_rules.h"

#include <gtest/gtest.h>

#include <limits>

#include "metal/device/encoder_state.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

const Limits limits;

std::string words(const Result<void>& rule) {
  return rule ? "accepted" : rule.error().text;
}

TEST(EncoderRules, IndexesOffsetsAndLengths) {
  EXPECT_EQ(words(check_index("setBuffer", 30, limits)), "accepted");
  EXPECT_EQ(words(check_index("setBuffer", 31, limits)), "setBuffer: index(31) must be < 31");
  EXPECT_EQ(words(check_offset("setBuffer", 63, 64)), "accepted");
  EXPECT_EQ(words(check_offset("setBuffer", 64, 64)), "setBuffer offset(64) must be < [buffer length](64)");
  EXPECT_EQ(words(check_bytes("setBytes", 4096, limits)), "accepted");
  EXPECT_EQ(check_bytes("setBytes", 4097, limits).error().kind, Error::Kind::limit);
  EXPECT_EQ(check_bytes("setBytes", 0, limits).error().kind, Error::Kind::argument);
}

TEST(EncoderRules, ThreadgroupMemory) {
  EXPECT_EQ(words(check_threadgroup_length("set", 32768, limits)), "accepted");
  EXPECT_EQ(check_threadgroup_length("set", 32784, limits).error().kind, Error::Kind::limit);
  EXPECT_EQ(words(check_threadgroup_length("set", 20, limits)), "set length(20) must be a multiple of 16 bytes.");
  EXPECT_EQ(words(check_threadgroup_memory(32768, limits)), "accepted");
  EXPECT_EQ(words(check_threadgroup_memory(32769, limits)),
            "Threadgroup memory size (32769) exceeds the maximum threadgroup memory allowed (32768)");
}

TEST(EncoderRules, ExtentsOfGrids) {
  constexpr std::uint64_t max = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(words(check_grid("dispatch", {max, 1, max}, {1, 1, 1})), "accepted");
  EXPECT_THAT(words(check_grid("dispatch", {1, max + 1, 1}, {1, 1, 1})),
              HasSubstr("threads of the grid(1, 4294967296"));
  EXPECT_THAT(words(check_grid("dispatch", {1, 1, 0}, {1, 1, 1})), HasSubstr("threads of the grid(1, 1, 0)"));
  EXPECT_THAT(words(check_grid("dispatch", {1, 1, 1}, {0, 1, 1})), HasSubstr("threadsPerThreadgroup(0, 1, 1)"));
  EXPECT_EQ(threads_of({3, 1, 2}, {32, 2, 1}), (Size{96, 2, 2}));
  EXPECT_EQ(threads_of({std::uint64_t{1} << 63}, {2}).width, std::numeric_limits<std::uint64_t>::max());
}

TEST(EncoderRules, ExtentsOfGroups) {
  EXPECT_EQ(words(check_group({32, 32, 1}, 1024, limits)), "accepted");
  EXPECT_THAT(words(check_group({32, 32, 2}, 1024, limits)), HasSubstr("(2048) must be <= 1024. (device"));
  EXPECT_THAT(words(check_group({65}, 64, limits)), HasSubstr("(65) must be <= 64. (kernel"));
  const std::uint64_t half = std::uint64_t{1} << 32;  // the product of two is 0 in 64 bits
  EXPECT_THAT(words(check_group({half, half}, 1024, limits)), HasSubstr("(device"));
}

TEST(EncoderRules, AlignmentOfOffsets) {
  Argument argument;
  argument.name = "x";
  EXPECT_EQ(words(check_alignment("axpy", argument, 2)), "accepted") << "nothing is known of its alignment";
  argument.element_alignment = 4;
  EXPECT_EQ(words(check_alignment("axpy", argument, 8)), "accepted");
  EXPECT_THAT(words(check_alignment("axpy", argument, 6)), HasSubstr("must be a multiple of 4 but was set to 6."));
}

TEST(EncoderState, KeepsTheFirstErrorAndEndsOnce) {
  EncoderEpoch epoch;
  EncoderState state(epoch);
  EXPECT_TRUE(state.is_usable("setBuffer"));
  EXPECT_TRUE(state.accepts({}));
  EXPECT_FALSE(state.accepts(error(Error::Kind::limit, "first")));
  EXPECT_FALSE(state.accepts(error(Error::Kind::argument, "second")));
  EXPECT_FALSE(state.is_usable("setBuffer"));
  EXPECT_EQ(words(state.end()), "first");
  EXPECT_EQ(state.end().error().kind, Error::Kind::order);
}

TEST(EncoderState, IsStaleAfterAnAllocation) {
  EncoderEpoch epoch;
  EncoderState before(epoch), unused(epoch);
  epoch.end("Device::new_buffer");
  EncoderState after(epoch);
  EXPECT_FALSE(before.is_usable("setBytes"));
  EXPECT_EQ(before.error()->kind, Error::Kind::stale_encoder);
  EXPECT_THAT(before.error()->text, HasSubstr("setBytes: the encoder is stale, for Device::new_buffer was called"));
  EXPECT_THAT(words(unused.end()), HasSubstr("endEncoding: the encoder is stale"));
  EXPECT_EQ(words(after.end()), "accepted");
  EXPECT_FALSE(after.is_usable("setBytes"));
  EXPECT_THAT(after.error()->text, HasSubstr("setBytes: the encoder has ended"));
}

}  // namespace
}  // namespace assay::metal::test
