// The hosts of all operations on metal/apple give the bits that they give on the emulator, and by several threads too.
#include <gmock/gmock.h>

#include <thread>

#include "metal/apple/system_device.h"
#include "metal/device/or_throw.h"
#include "metal/device/shader_source.h"
#include "metal/host/kernel_file.h"
#include "tests/host/operations.h"

namespace assay::metal::test {
namespace {

template <class Operation>
using Settings = std::vector<std::pair<typename Operation::Case, typename Operation::Options>>;

/// Calls that reach each way through a host.
template <class Operation>
Settings<Operation> settings();
template <>
Settings<CtcOperation> settings<CtcOperation>() {
  return {{ragged_batch(), {}},
          {ragged_batch(), {.path = CtcPath::plain}},
          {long_batch(300), {}},
          {long_batch(60), {.min_states = 8193}},
          {ragged_batch(), {.workspace_bytes = 2304}}};
}
template <>
Settings<CceOperation> settings<CceOperation>() {
  return {{some_cce(9, 20, 70, true), {}}, {some_cce(9, 20, 70, true), {.path = CcePath::plain}}};
}
template <>
Settings<SvdOperation> settings<SvdOperation>() {
  return {{some_svd(8, 8, 3), {}}, {some_svd(40, 40), {}}, {some_svd(8, 5), {.path = SvdPath::plain}}};
}

template <class Operation>
auto results_on(std::shared_ptr<Device> device, const typename Operation::Case& c,
                const typename Operation::Options& options) {
  const auto host = or_throw(Operation::Host::create(std::move(device), options));
  OperationCall<Operation> call(c);
  or_throw(call.on(host));
  return call.results;
}

template <class Operation>
class HostsOnApple : public testing::Test {
 protected:
  void SetUp() override {
    const Result<std::shared_ptr<Device>> found = apple::system_default_device();
    if (!found) GTEST_SKIP() << found.error().text;
    device_ = *found;
  }
  std::shared_ptr<Device> device_;
};
TYPED_TEST_SUITE(HostsOnApple, Operations);

TYPED_TEST(HostsOnApple, GiveTheEmulatorsBits) {
  int number = 0;
  for (const auto& [c, options] : settings<TypeParam>())
    EXPECT_TRUE(results_on<TypeParam>(this->device_, c, options) == results_on<TypeParam>(emulated(), c, options))
        << "setting " << number++;
}

TYPED_TEST(HostsOnApple, ServeSeveralThreads) {
  const auto host = or_throw(TypeParam::Host::create(this->device_));
  OperationCall<TypeParam> expected;
  or_throw(expected.on(host));
  std::vector<OperationCall<TypeParam>> calls(4);
  std::vector<std::thread> threads;
  for (auto& call : calls) threads.emplace_back([&] { or_throw(call.on(host)); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& call : calls) EXPECT_TRUE(call.results == expected.results);
}

using CtcOnApple = HostsOnApple<CtcOperation>;

/// Metal contracts expressions by default, which `#pragma METAL fp contract(off)` keeps it from. CTC's sums of pairs
/// show it.
TEST_F(CtcOnApple, WouldGiveOtherBitsIfContracted) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this processor contracts nothing";
#endif
  std::string text = or_throw(text_with_includes(host::kernel_file(CtcLoss::kernel_file)));
  const std::string pragma = "#pragma METAL fp contract(off)";
  const std::size_t place = text.find(pragma);
  ASSERT_NE(place, std::string::npos);
  const auto contracted = or_throw(device_->new_library(text.erase(place, pragma.size())));
  bool is_other = false;
  for (const auto& [c, options] : settings<CtcOperation>()) {
    OperationCall<CtcOperation> call(c);
    or_throw(call.on(or_throw(CtcLoss::create(device_, contracted, options))));
    is_other = is_other || !(call.results == results_on<CtcOperation>(emulated(), c, options));
  }
  EXPECT_TRUE(is_other);
}

}  // namespace
}  // namespace assay::metal::test
