// Without the driver, or with something else in its place, the error says what to do.
#include <gtest/gtest.h>

#include <cstdlib>

#include "metal/nvidia/libcuda.h"
#include "tests/matchers.h"

namespace assay::metal::nvidia::test {
namespace {

std::string refusal_of(const char* library) {
  setenv("ASSAY_LIBCUDA", library, 1);  // NOLINT(concurrency-mt-unsafe): one thread
  const auto driver = load_libcuda();
  unsetenv("ASSAY_LIBCUDA");  // NOLINT(concurrency-mt-unsafe)
  return driver ? "" : driver.error().text;
}

TEST(LibCuda, IsAskedForWhereItIsNot) {
  EXPECT_THAT(refusal_of("/nowhere/libcuda.so.1"), AllOf(HasSubstr("/nowhere/libcuda.so.1"), HasSubstr("install it")));
}

TEST(LibCuda, NamesTheFunctionsThatItLacks) {
  EXPECT_THAT(refusal_of("libm.so.6"), AllOf(HasSubstr("'libm.so.6' lacks cuInit, cuDriverGetVersion"),
                                             HasSubstr("install a driver for CUDA 11.8")));
}

}  // namespace
}  // namespace assay::metal::nvidia::test
