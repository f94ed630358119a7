// Kernels can be changed while a program runs: the next plan has the new ones, and faults do not unseat the old.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "metal/device/shader_source.h"
#include "metal/host/kernel_file.h"
#include "tests/host/device_batch.h"

namespace assay::metal::test {
namespace {

namespace fs = std::filesystem;

/// ctc.metal in one file, of each test's own: tests run side by side.
class ReloadedCtc : public testing::Test {
 protected:
  void SetUp() override { write(text_); }
  void TearDown() override { fs::remove(file_); }

  /// With a time of its own, whatever the file system's resolution.
  void write(const std::string& text) {
    std::ofstream(file_) << text;
    fs::last_write_time(file_, fs::last_write_time(file_) + std::chrono::seconds(++writes_));
  }

  std::string changed(const std::string& from, const std::string& to) const {
    std::string text = text_;
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return text.replace(place, from.size(), to);
  }

  fs::path file_ = fs::path(testing::TempDir()) /
                   (std::string("assay_") + testing::UnitTest::GetInstance()->current_test_info()->name() + ".metal");
  std::string text_ = text_with_includes(host::kernel_file("ctc/ctc.metal")).value();

 private:
  int writes_ = 0;
};

TEST_F(ReloadedCtc, HasTheNewKernels) {
  CtcOptions options;
  options.kernels = file_;
  const CtcLoss loss = CtcLoss::create(emulated(), options).value();
  Batch batch = ragged_batch();
  batch.options.reduction = Reduction::sum;
  batch.options.zero_infinity = true;
  const Stored<float> before = on_device<float>(loss, batch, false);
  EXPECT_FALSE(loss.reload_if_changed().value());
  write(changed("host_name(\"ctc_reduce\")", "host_name(\"ctc_lost\")"));
  ASSERT_TRUE(loss.reload_if_changed().value());
  std::vector<float> result(1);
  const Result<void> lost = loss(batch.problem(), CtcOutput<float>{result, {}});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().kind, Error::Kind::not_found);
  EXPECT_THAT(lost.error().text, testing::HasSubstr("finding kernel ctc_reduce: "));
  write(text_ + "no shader");
  const Result<bool> broken = loss.reload_if_changed();
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().kind, Error::Kind::compile);
  write(text_);
  ASSERT_TRUE(loss.reload_if_changed().value());
  EXPECT_TRUE(have_equal_bits(on_device<float>(loss, batch, false), before));
}

/// A text with a planted fault, as a library of its own.
TEST_F(ReloadedCtc, TakesALibraryOfAnyText) {
  const std::shared_ptr<emulator::EmulatorDevice> device = emulated();
  const CtcLoss loss = CtcLoss::create(device, *device->new_library(text_)).value();
  const Batch batch = ragged_batch();
  expect_near(on_device<float>(loss, batch), on_cpu<float>(batch), 1e-4F, "library of a text");
}

TEST_F(ReloadedCtc, ServesSeveralThreadsAtOnce) {
  const CtcLoss loss = CtcLoss::create(emulated(false)).value();
  const Batch batch = ragged_batch();
  const Stored<float> alone = on_device<float>(loss, batch);
  std::vector<std::thread> threads;
  std::vector<int> equal(4, 0);
  for (int& result : equal)
    threads.emplace_back([&] { result = have_equal_bits(on_device<float>(loss, batch), alone) ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(equal, testing::Each(1));
}

}  // namespace
}  // namespace assay::metal::test
