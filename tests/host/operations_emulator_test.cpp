// What holds of the hosts of all operations, with their kernels on the emulator, which must have nothing to report.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "metal/device/or_throw.h"
#include "metal/device/shader_source.h"
#include "metal/host/kernel_file.h"
#include "tests/host/operations.h"
#include "tests/matchers.h"
#include "tests/replaced.h"

namespace assay::metal::test {
namespace {

template <class Operation>
class HostsOnEmulator : public testing::Test {
 protected:
  using Host = typename Operation::Host;

  void TearDown() override { expect_no_reports(*device_); }

  static auto results_of(const Host& host) {
    OperationCall<Operation> call;
    or_throw(call.on(host));
    return call.results;
  }

  /// The text of the kernels, in which edited_value() is always 42.
  static std::string edited_text() {
    const auto& [before, after] = Operation::edit();
    return replaced(or_throw(text_with_includes(host::kernel_file(Host::kernel_file))), before, after);
  }

  std::shared_ptr<emulator::EmulatorDevice> device_ = emulated();
};
TYPED_TEST_SUITE(HostsOnEmulator, Operations);

TYPED_TEST(HostsOnEmulator, LeaveBfloatToTheCpuBeforeMetal31) {
  const auto old = TypeParam::Host::create(emulated(true, 300)).value();
  EXPECT_FALSE(old.template is_on_device<BFloat16>());
  EXPECT_TRUE(old.template is_on_device<Half>());
  expect_cpus_results<TypeParam, BFloat16>(old);
}

TYPED_TEST(HostsOnEmulator, GiveEqualBitsInAnyNumberOfCommandBuffers) {
  for (const KernelPath path : {KernelPath::production, KernelPath::plain}) {
    typename TypeParam::Options options;
    options.path = path;
    const auto whole = this->results_of(TypeParam::Host::create(this->device_, options).value());
    options.max_work = 1;
    EXPECT_EQ(this->results_of(TypeParam::Host::create(this->device_, options).value()), whole);
  }
}

TYPED_TEST(HostsOnEmulator, TakeALibraryOfAnEditedText) {
  const auto library = or_throw(this->device_->new_library(this->edited_text()));
  EXPECT_EQ(TypeParam::edited_value(this->results_of(TypeParam::Host::create(this->device_, library).value())), 42.0F);
}

/// A changed file is compiled again; one that does not compile leaves the kernels as they were.
TYPED_TEST(HostsOnEmulator, ReloadTheirFile) {
  namespace fs = std::filesystem;
  const fs::path file = fs::path(testing::TempDir()) / (TypeParam::bfloat_kernel({}) + "_reloaded.metal");
  auto write = [&, writes = 0](const std::string& text) mutable {
    std::ofstream(file) << text;
    fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(5 * ++writes));
  };
  const std::string text = or_throw(text_with_includes(host::kernel_file(TypeParam::Host::kernel_file)));
  write(text);
  typename TypeParam::Options options;
  options.kernels = file;
  const auto host = TypeParam::Host::create(this->device_, options).value();
  const auto before = this->results_of(host);
  EXPECT_FALSE(host.reload_if_changed().value());
  write(this->edited_text());
  EXPECT_TRUE(host.reload_if_changed().value());
  EXPECT_EQ(TypeParam::edited_value(this->results_of(host)), 42.0F);
  write(text + "no shader");
  EXPECT_EQ(host.reload_if_changed().error().kind, Error::Kind::compile);
  EXPECT_EQ(TypeParam::edited_value(this->results_of(host)), 42.0F);
  write(text);
  EXPECT_TRUE(host.reload_if_changed().value());
  EXPECT_EQ(this->results_of(host), before);
  fs::remove(file);
}

TYPED_TEST(HostsOnEmulator, NameTheFileThatDoesNotCompile) {
  typename TypeParam::Options options;
  options.kernels = "/absent/kernels.metal";
  const auto absent = TypeParam::Host::create(this->device_, options);
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().text, HasSubstr("compiling /absent/kernels.metal: "));
}

TYPED_TEST(HostsOnEmulator, ServeSeveralThreadsAtOnce) {
  for (const KernelPath path : {KernelPath::production, KernelPath::plain}) {
    typename TypeParam::Options options;
    options.path = path;
    const auto host = TypeParam::Host::create(this->device_, options).value();
    const auto alone = this->results_of(host);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_EQ(this->results_of(host), alone); });
    for (std::thread& thread : threads) thread.join();
  }
}

TYPED_TEST(HostsOnEmulator, ReleaseWhatTheyAllocate) {
  const auto host = TypeParam::Host::create(this->device_).value();
  const std::uint64_t before = this->device_->current_allocated_size();
  (void)this->results_of(host);
  EXPECT_EQ(this->device_->current_allocated_size(), before);
}

/// CTC's results where the compiler may do what fast arithmetic permits. Fewer instantiations are compiled faster.
CtcResults<float> in_fast_arithmetic(std::string text, const std::string& without) {
  for (const std::string removed : {"\nINSTANTIATE_FOR(half)", "\nINSTANTIATE_FOR(bfloat)", without.c_str()})
    text.erase(text.find(removed), removed.size());
  emulator::EmulatorOptions options;
  options.math_mode = emulator::MathMode::fast;
  const auto device = std::make_shared<emulator::EmulatorDevice>(options);
  OperationCall<CtcOperation> call;
  or_throw(call.on(or_throw(CtcLoss::create(device, or_throw(device->new_library(text))))));
  return call.results;
}

/// The kernels' text keeps the compiler from fast arithmetic, and would not without what it says of it.
TEST(CtcHostOnEmulator, ComputesSafelyWhateverTheCompilerMayDo) {
  const std::string text = or_throw(text_with_includes(host::kernel_file(CtcLoss::kernel_file)));
  OperationCall<CtcOperation> expected;
  or_throw(expected.on(or_throw(CtcLoss::create(emulated()))));
  EXPECT_EQ(in_fast_arithmetic(text, ""), expected.results);
  EXPECT_NE(in_fast_arithmetic(text, "#pragma METAL fp math_mode(safe)"), expected.results);
}

TYPED_TEST(HostsOnEmulator, AskForSafeArithmeticBeforeAnyFunction) {
  const std::string text = or_throw(text_with_includes(host::kernel_file(TypeParam::Host::kernel_file)));
  EXPECT_LT(text.find("#pragma METAL fp math_mode(safe)\n"), text.find('{'));
}

}  // namespace
}  // namespace assay::metal::test
