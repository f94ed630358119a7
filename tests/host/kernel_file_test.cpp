// Kernels are found where this program was installed or built.
#include "metal/host/kernel_file.h"

#include <gtest/gtest.h>

namespace assay::metal::host {
namespace {

TEST(KernelFile, IsThatOfTheSourceTreeWhereNothingIsInstalled) {
  EXPECT_TRUE(exists(kernel_file("ctc/interface.h"))) << kernel_file("ctc/interface.h");
}

}  // namespace
}  // namespace assay::metal::host
