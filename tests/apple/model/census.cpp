// At the end of each test: no object is left, and the emulator's checks have nothing to report of the kernels.
#include <gtest/gtest.h>

#include "tests/apple/model/model.h"

namespace assay::metal::apple::model {
namespace {

class Census : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo&) override {
    EXPECT_EQ(live_objects(), "") << "model of Metal: objects are left";
    EXPECT_TRUE(reports().empty()) << "model of Metal: a kernel's access was reported";
    lack(Lack::nothing);
    set_watchdog(4'000'000'000);
  }
};

const bool is_installed = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new Census);
  return true;
}();

}  // namespace
}  // namespace assay::metal::apple::model
