// Gives PTX to ptxas, where ASSAY_PTXAS names it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace assay::metal::nvidia::test {

/// ptxas comes with CUDA, and in the wheel nvidia-cuda-nvcc-cu12.
inline void assemble(const std::string& ptx, const std::string& architecture) {
  const char* const ptxas = std::getenv("ASSAY_PTXAS");  // NOLINT(concurrency-mt-unsafe): nothing here writes it
  if (ptxas == nullptr) return;
  const auto file = std::filesystem::path(testing::TempDir()) / "assay_test.ptx";
  std::ofstream(file) << ptx;
  const std::string command = std::string(ptxas) + " -arch=" + architecture + " -o /dev/null " + file.string();
  EXPECT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
}

}  // namespace assay::metal::nvidia::test
