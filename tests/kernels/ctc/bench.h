// Runs the CTC kernels on the emulator. The test selects the size class, which the host selects by the lengths of rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "metal/emulator/emulator_device.h"
#include "reference/ctc/problem.h"

namespace assay::metal::test {

/// The kernels of the recursion: with N states a thread, or others by their names.
enum class SizeClass { states_2, states_4, states_8, device, plain };

/// The states that a row may have.
std::uint64_t max_states(SizeClass size);
std::string name_of(SizeClass size);

struct CtcVariant {
  SizeClass size = SizeClass::states_8;
  std::string type = "float";       ///< of activations and gradient: float, half, bfloat
  std::uint64_t group_threads = 0;  ///< of the recursion; 0: as many as the longest row needs
  std::string emissions = "";       ///< the kernel of emissions: held_, wide_; empty: as the host chooses
  bool with_gradient = true;
};

struct CtcOutcome {
  std::vector<float> loss;      ///< [B] or [1]
  std::vector<float> gradient;  ///< [T, B, C] or empty
};

class CtcBench {
 public:
  explicit CtcBench(emulator::EmulatorOptions options = {});
  /// Kernels of this text instead of ctc.metal.
  CtcBench(emulator::EmulatorOptions options, const std::string& source);

  /// The problem must be valid. Throws std::runtime_error for an error of the device.
  CtcOutcome run(const reference::CtcProblem<float>& problem, const CtcVariant& variant);

  /// The findings of the checks so far, as text; empty if there are none.
  std::string reports() const;

  emulator::EmulatorDevice& device() { return device_; }

 private:
  emulator::EmulatorDevice device_;
  std::shared_ptr<Library> library_;
};

/// metal/kernels/ctc/ctc.metal
std::string ctc_source_file();

}  // namespace assay::metal::test
