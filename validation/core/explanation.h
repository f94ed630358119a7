// Why a kernel fails on a case: the operation that made the NaN, or the lines that lost the digits, as the emulator's
// numerics find them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "metal/device/device.h"
#include "metal/emulator/check/report.h"
#include "metal/emulator/numerics/losses.h"
#include "validation/core/gate_subject.h"
#include "validation/core/living.h"
#include "validation/core/why.h"

namespace assay::validation {

/// While it lives, kernels that are made run on the emulator with EmulatorOptions::with_numerics, and what the emulator
/// finds of their numbers goes here instead of being an error.
class Explanation : public Living<Explanation> {
 public:
  /// Takes the findings of the runs that have ended on a device, if it is an emulator with numerics.
  void take(metal::Device& device);

  /// Takes the findings of a call of a plug-in that `assay instrument` compiled.
  void take(const std::vector<metal::emulator::Report>& reports, const metal::emulator::DispatchLosses& losses);

  /// A plug-in was called that was compiled otherwise.
  void note_not_instrumented(const std::string& library) { not_instrumented_ = library; }

  /// The operation that made the first NaN or infinity which an output shows. If there is none: the lines with the
  /// largest shares of the errors of the dispatch that lost most bits.
  Why why() const;

  /// All that has been taken, warnings among them.
  const std::vector<metal::emulator::Report>& reports() const { return reports_; }

  /// The errors of the dispatch, or call, that lost most bits; null if there was none.
  const metal::emulator::DispatchLosses* worst() const;

 private:
  std::vector<metal::emulator::Report> reports_;
  std::vector<metal::emulator::DispatchLosses> losses_;
  std::string not_instrumented_;
  std::map<const metal::Device*, std::size_t> taken_;  ///< how many of a device's losses have been taken
};

/// What the emulator's numerics find of a failing case; empty if the kernel is no shader, or if it cannot run here.
Why why_of(const GateSubject& subject, std::size_t property, const AnyCase& c);

}  // namespace assay::validation
