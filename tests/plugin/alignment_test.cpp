// Where the arrays of a plug-in begin: at any multiple of their elements, unless the call asks for more.
#include <gmock/gmock.h>

#include <cstdint>
#include <set>
#include <vector>

#include "validation/transport/library/shared_arrays.h"

namespace assay::validation::transport {
namespace {

using testing::ElementsAre;

/// A slot for an array of `size` elements in a call that asks for `alignment`.
template <class Element>
Slot slot_of(std::size_t size, std::size_t alignment) {
  const std::vector<Element> values(size);
  const Array arrays[] = {Array::of("input", std::span<const Element>(values))};
  static SharedArrays shared;
  Request request{};
  shared.put(arrays, alignment, request);
  return request.slots.at(0);
}

/// The offsets from a multiple of 16 bytes of arrays of a multiple of 16 bytes.
template <class Element>
std::set<std::uint64_t> offsets(std::size_t alignment) {
  std::set<std::uint64_t> found;
  for (std::size_t bytes = 16; bytes <= 4096; bytes += 16)
    found.insert(slot_of<Element>(bytes / sizeof(Element), alignment).begin % 16);
  return found;
}

TEST(ArraysOfPlugins, BeginAtAnyMultipleOfTheirElements) {
  EXPECT_THAT(offsets<float>(0), ElementsAre(0, 4, 8, 12));
  EXPECT_THAT(offsets<std::uint16_t>(0), ElementsAre(0, 2, 4, 6, 8, 10, 12, 14));
  EXPECT_THAT(offsets<double>(0), ElementsAre(0, 8));
  EXPECT_THAT(offsets<std::int64_t>(0), ElementsAre(0, 8));
}

TEST(ArraysOfPlugins, BeginWhereTheDeclarationAsks) {
  EXPECT_THAT(offsets<float>(8), ElementsAre(0, 8));
  EXPECT_THAT(offsets<float>(16), ElementsAre(0));
  EXPECT_THAT(offsets<std::uint16_t>(64), ElementsAre(0));
}

/// So that the first access past the end is noticed. Moved arrays have less than 16 bytes of sentinels there: those of a
/// multiple of 16 bytes leave such an address, others go to one, as memory of an allocator has it.
TEST(ArraysOfPlugins, EndWhereThePageEndsUnlessTheyAreMoved) {
  int moved = 0;
  for (std::size_t size = 1; size <= 1030; ++size) {
    const Slot slot = slot_of<float>(size, 0);
    EXPECT_EQ(slot.end - slot.begin, 4 * size);
    EXPECT_GE(slot.begin, slot.first_page);
    const auto left = slot.last_page - slot.end;
    if (left > 0) ++moved;
    if (left == 0) continue;
    EXPECT_LT(left, 16) << size;
    EXPECT_NE(slot.begin % 16 == 0, size % 4 == 0) << size;
    EXPECT_TRUE(size % 4 == 0 || size > 16) << size;
  }
  EXPECT_GT(moved, 1030 / 3);
  EXPECT_LT(moved, 1030 * 2 / 3);
}

TEST(ArraysOfPlugins, OfOneSizeBeginAtOneOffset) {
  for (std::size_t size = 4; size <= 400; size += 4)
    EXPECT_EQ(slot_of<float>(size, 0).begin % 16, slot_of<float>(size, 0).begin % 16);
}

}  // namespace
}  // namespace assay::validation::transport
